"""What one did on the board and takes back, what is looked for, and columns that are dragged."""

import unittest

from pages import BrowserTest, expect

UNDO = "ControlOrMeta+z"


class UndoTests(BrowserTest):
    def setUp(self):
        super().setUp()
        for text in ["Read", "Write", "Rest"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text}, name="ada")

    def test_what_one_did_is_undone_the_last_first(self):
        ada = self.join("ada")
        ada.drag("Read", "Done")
        ada.card("Write").focus()
        ada.page.keyboard.press("Delete")
        ada.has("To do", ["Rest"])
        ada.page.keyboard.press("v")
        expect(ada.card("Rest").locator(".votes")).to_have_text("▲ 1")
        ada.add("To do", "Sleep")
        ada.has("To do", ["Rest", "Sleep"])
        ada.page.keyboard.press(UNDO)
        ada.has("To do", ["Rest"])
        expect(ada.page.locator("#spoken")).to_have_text("Undone: Sleep added.")
        ada.page.keyboard.press(UNDO)
        expect(ada.card("Rest").locator(".votes")).to_have_text("▲ 0")
        ada.page.keyboard.press(UNDO)
        ada.has("To do", ["Write", "Rest"])
        ada.page.keyboard.press(UNDO)
        ada.has("To do", ["Read", "Write", "Rest"])
        ada.page.keyboard.press(UNDO)
        expect(ada.page.locator("#spoken")).to_have_text("There is nothing that can be undone.")
        expect(ada.waits()).to_have_count(0)
        self.assertEqual(self.server.cards("todo"), ["Read", "Write", "Rest"])

    def test_a_removed_card_is_offered_back_and_comes_with_its_votes_to_its_place(self):
        ada, bob = self.join("ada"), self.join("bob")
        bob.card("Write").get_by_label("Vote").click()
        expect(ada.card("Write").locator(".votes")).to_have_text("▲ 1")
        ada.card("Write").focus()
        ada.page.keyboard.press("Delete")
        bob.has("To do", ["Read", "Rest"])
        toast = ada.page.locator(".toast")
        expect(toast).to_contain_text("Write removed.")
        toast.get_by_role("button", name="Undo").click()
        expect(toast).to_be_hidden()
        for board in (ada, bob):
            board.has("To do", ["Read", "Write", "Rest"])
            expect(board.card("Write").locator(".votes")).to_have_text("▲ 1")
            expect(board.waits()).to_have_count(0)

    def test_a_move_that_somebody_has_followed_by_another_stays_and_that_is_told(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.drag("Read", "Doing")
        bob.has("Doing", ["Read"])
        bob.drag("Read", "Done")
        ada.has("Done", ["Read"])
        ada.page.keyboard.press(UNDO)
        expect(ada.page.get_by_role("alert")).to_contain_text(
            "It can't be undone any more: Somebody else has moved it since.")
        ada.has("Done", ["Read"])

    def test_what_is_done_and_undone_offline_is_so_for_the_others_too(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.drag("Read", "Done")
        ada.card("Write").focus()
        ada.page.keyboard.press("Delete")
        ada.has("To do", ["Rest"])
        ada.page.keyboard.press(UNDO)
        ada.page.keyboard.press(UNDO)
        ada.has("To do", ["Read", "Write", "Rest"])
        ada.page.context.set_offline(False)
        expect(ada.page.locator("#status")).to_have_text("Live")
        for board in (ada, bob):
            board.has("To do", ["Read", "Write", "Rest"])
            board.has("Done", [])
            expect(board.waits()).to_have_count(0)

    def test_an_edit_is_taken_out_of_what_others_have_written_since(self):
        ada, bob = self.join("ada"), self.join("bob")
        self.write(ada, "Read", "End", " a book")
        bob.has("To do", ["Read a book", "Write", "Rest"])
        self.write(bob, "Read a book", "Home", "Please: ")
        ada.has("To do", ["Please: Read a book", "Write", "Rest"])
        ada.page.keyboard.press(UNDO)
        for board in (ada, bob):
            board.has("To do", ["Please: Read", "Write", "Rest"])

    def test_in_a_field_the_keys_are_the_fields(self):
        ada = self.join("ada")
        ada.drag("Read", "Done")
        ada.column("To do").get_by_role("button", name="Add a card").click()
        ada.page.keyboard.type("Sleep")
        ada.page.keyboard.press(UNDO)
        ada.page.keyboard.press("/")
        ada.has("Done", ["Read"])
        expect(ada.page.get_by_label("Text of the new card").first).to_be_focused()

    def test_a_card_tells_who_did_what(self):
        ada, bob = self.join("ada"), self.join("bob")
        bob.drag("Read", "Doing")
        ada.has("Doing", ["Read"])
        self.write(ada, "Read", "End", " a book")
        ada.card("Read a book").get_by_label("Open the card").click()
        history = ada.page.locator(".history")
        history.locator("summary").click()
        expect(history.locator("li > span")).to_have_text(
            ["You changed the text", "bob moved it to Doing", "You added it"])
        bob.drag("Read a book", "Done")
        expect(history.locator("li > span").first).to_have_text("bob moved it to Done")

    def write(self, board, text, key, more):
        board.card(text).focus()
        board.page.keyboard.press("e")
        board.page.keyboard.press(key)
        board.page.keyboard.type(more)
        board.page.keyboard.press("Enter")


class SearchTests(BrowserTest):
    def test_cards_are_found_by_words_wherever_they_are(self):
        self.server.fill("todo", 205)
        for text in ["Buy green tea", "Tea for Eve"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        self.server.dispatch("AddCard", {"column": "done", "text": "Drink TEA"})
        ada, bob = self.join("ada"), self.join("bob")
        expect(ada.card("Buy green tea")).to_have_count(0)
        ada.page.keyboard.press("/")
        ada.page.keyboard.type("tea")
        found = ada.page.get_by_role("region", name="Cards found")
        texts = found.locator(".card > p")
        expect(texts).to_have_text(["Tea for Eve", "Buy green tea", "Drink TEA"])
        expect(found.get_by_role("heading")).to_have_text(["To do", "Done"])
        count = ada.page.locator(".search").get_by_role("status")
        expect(count).to_have_text("3 cards found")
        # They are live, and cards like others.
        bob.add("To do", "More tea")
        expect(count).to_have_text("4 cards found")
        ada.page.keyboard.press("ArrowDown")
        expect(ada.page.locator("#found .card").first).to_be_focused()
        ada.page.keyboard.press("v")
        expect(found.locator(".votes").first).to_have_text("▲ 1")
        ada.page.keyboard.press("Delete")
        expect(count).to_have_text("3 cards found")
        ada.page.keyboard.press(UNDO)
        expect(count).to_have_text("4 cards found")
        ada.page.keyboard.press("/")
        ada.page.keyboard.type("nothing of the kind")
        expect(count).to_have_text("No cards found")
        ada.page.keyboard.press("Escape")
        expect(found).to_be_hidden()
        expect(ada.column("To do")).to_be_visible()
        expect(count).to_have_text("")

    def test_cards_are_found_by_who_does_them(self):
        for text in ["Read", "Write"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        ada, bob = self.join("ada"), self.join("bob")
        for board, text in [(ada, "Read"), (bob, "Write")]:
            board.card(text).get_by_label("Open the card").click()
            board.page.get_by_label("Who does it").fill("ada" if board is ada else "bob")
            board.page.get_by_role("button", name="Save").click()
        texts = ada.page.locator("#found .card > p")
        mine = ada.page.get_by_role("button", name="Mine")
        mine.click()
        expect(texts).to_have_text(["Read"])
        expect(mine).to_have_attribute("aria-pressed", "true")
        ada.page.locator(".filters").get_by_role("button", name="bob").click()
        expect(texts).to_have_text(["Write"])
        expect(mine).to_have_attribute("aria-pressed", "false")
        ada.page.get_by_role("button", name="Clear").click()
        ada.has("To do", ["Read", "Write"])


class ColumnTests(BrowserTest):
    def titles(self, board):
        return board.page.locator("#columns .column h2")

    def test_a_column_is_dragged_by_its_heading_and_moved_by_keys(self):
        self.server.dispatch("AddCard", {"column": "done", "text": "Rest"})
        ada, bob = self.join("ada"), self.join("bob")
        heading = ada.column("Done").locator("header")
        # Waits until nothing moves any more.
        heading.hover(position={"x": 60, "y": 15})
        start, end = heading.bounding_box(), ada.column("To do").bounding_box()
        mouse = ada.page.mouse
        mouse.down()
        mouse.move(start["x"] + 80, start["y"] + 20)
        expect(ada.page.locator(".column.ghost")).to_be_visible()
        mouse.move(end["x"] + 20, end["y"] + 20, steps=5)
        expect(ada.page.locator(".column-place")).to_have_count(1)
        mouse.up()
        expect(ada.page.locator(".column-place, .ghost")).to_have_count(0)
        for board in (ada, bob):
            expect(self.titles(board)).to_have_text(["Done", "To do", "Doing"])
        # It wasn't a click, which renames it.
        expect(ada.page.locator("#columns header input")).to_have_count(0)
        menu = bob.column("Done").get_by_label("Open the column")
        menu.focus()
        bob.page.keyboard.press("Shift+ArrowRight")
        for board in (ada, bob):
            expect(self.titles(board)).to_have_text(["To do", "Done", "Doing"])
        expect(menu).to_be_focused()
        expect(bob.page.locator("#spoken")).to_have_text("Done moved to place 2 of 3.")
        bob.page.keyboard.press(UNDO)
        for board in (ada, bob):
            expect(self.titles(board)).to_have_text(["Done", "To do", "Doing"])


if __name__ == "__main__":
    unittest.main()
