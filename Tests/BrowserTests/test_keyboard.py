"""The board without a mouse."""

import unittest

from pages import Board, BrowserTest, expect


class KeyboardTests(BrowserTest):
    def test_everything_by_keyboard(self):
        for text in ["Read", "Write"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        page = self.open()
        keys, board = page.keyboard, Board(page)
        # What is pressed before a page is drawn, Chromium drops.
        board.is_live()
        keys.type("ada")
        keys.press("Enter")
        expect(page.locator("#name-button")).to_contain_text("ada")
        board.has("To do", ["Read", "Write"])
        self.tab_to(page, board.card("Read"))
        keys.press("ArrowDown")
        expect(board.card("Write")).to_be_focused()
        keys.press("Shift+ArrowUp")
        board.has("To do", ["Write", "Read"])
        keys.press("Shift+ArrowRight")
        board.has("Doing", ["Write"])
        expect(board.card("Write")).to_be_focused()
        expect(page.locator("#spoken")).to_have_text("Write moved to Doing, place 1 of 1.")
        keys.press("v")
        expect(board.card("Write").locator(".votes")).to_have_attribute("aria-pressed", "true")
        keys.press("n")
        keys.type("Rest")
        keys.press("Enter")
        keys.press("Escape")
        board.has("Doing", ["Write", "Rest"])
        expect(board.waits()).to_have_count(0)
        expect(board.column("Doing").locator(".add")).to_be_focused()
        keys.press("ArrowUp")
        expect(board.card("Rest")).to_be_focused()
        keys.press("Enter")
        expect(page.get_by_label("Text of the card")).to_be_focused()
        keys.press("ControlOrMeta+a")
        keys.type("Rest a while")
        keys.press("ControlOrMeta+Enter")
        board.has("Doing", ["Write", "Rest a while"])
        expect(board.card("Rest a while")).to_be_focused()
        keys.press("o")
        expect(page.get_by_label("Text", exact=True)).to_be_focused()
        keys.press("Tab")
        keys.type("Done")
        keys.press("Tab")
        keys.type("ada")
        keys.press("Enter")
        board.has("Done", ["Rest a while"])
        expect(board.card("Rest a while")).to_be_focused()
        expect(board.card("Rest a while")).to_have_accessible_name(
            "Rest a while, 0 votes, ada does it")
        keys.press("Delete")
        board.has("Done", [])
        expect(page.locator("dialog[open]")).to_have_count(0)
        expect(board.undo()).to_be_visible()
        self.assertEqual(self.server.cards("doing"), ["Write"])

    def test_every_dialog_is_closed_by_escape(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        page = self.open()
        board = Board(page)
        board.is_live()
        expect(page.locator("dialog[open]")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        for opener in [
            page.locator("#help-button"), page.locator("#name-button"),
            page.get_by_role("button", name="Add a column"),
            page.get_by_role("button", name="Open the column").first,
            board.card("Read").get_by_label("Open the card"),
        ]:
            opener.focus()
            page.keyboard.press("Enter")
            expect(page.locator("dialog[open]")).to_have_count(1)
            page.keyboard.press("Escape")
            expect(page.locator("dialog[open]")).to_have_count(0)
            expect(opener).to_be_focused()

    def test_a_card_that_somebody_takes_away_leaves_the_focus_to_the_next(self):
        for text in ["Read", "Write", "Rest"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        ada, bob = self.join("ada"), self.join("bob")
        ada.card("Write").focus()
        bob.drag("Write", "Done")
        ada.has("To do", ["Read", "Rest"])
        # It has moved, and the focus with it.
        expect(ada.card("Write")).to_be_focused()
        bob.remove("Write")
        ada.has("Done", [])
        expect(ada.column("Done").locator(".add")).to_be_focused()

    def tab_to(self, page, target):
        for _ in range(20):
            page.keyboard.press("Tab")
            if target.evaluate("(card) => card === document.activeElement"):
                return
        self.fail("Tab doesn't come to the card.")


if __name__ == "__main__":
    unittest.main()
