"""The board's page, with other browsers, the Swift client and the terminal's around it."""

import unittest

from pages import BrowserTest, expect
from programs import Terminal, Watch, wait_until


class BoardTests(BrowserTest):
    def test_a_dragged_card_moves_for_everybody(self):
        for text in ["Read", "Write", "Sleep"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        ada, bob = self.join("ada"), self.join("bob")
        with Watch(self.server.url, "doing") as swift:
            with Terminal(self.server.url, "carol") as terminal:
                terminal.wait_for("Write", "To do", "Doing")
                ada.drag("Write", "Doing")
                for board in (ada, bob):
                    board.has("To do", ["Read", "Sleep"])
                    board.has("Doing", ["Write"])
                swift.wait_for(["Write"])
                terminal.wait_for("Write", "Doing", "Done")
            bob.drag("Sleep", "Doing", above="Write")
            ada.has("Doing", ["Sleep", "Write"])
            swift.wait_for(["Sleep", "Write"])

    def test_a_long_column_is_loaded_as_it_is_scrolled(self):
        self.server.fill("todo", 1000)
        ada, bob = self.join("ada"), self.join("bob")
        column = ada.column("To do")
        cards = column.locator(".card")
        expect(column.locator(".number")).to_have_text("1000")
        expect(ada.card("0").first).to_be_in_viewport()
        self.assertLess(cards.count(), 400)
        self.scroll(column, -1, "999")
        self.assertLess(cards.count(), 400)
        # What comes at either end is there.
        bob.add("To do", "new")
        expect(bob.page.locator(".notice")).to_contain_text("at the bottom of To do")
        expect(cards.last).to_contain_text("new")
        # By keyboard, too: the focus scrolls, and so loads what is above.
        first = int(cards.first.locator("p").text_content())
        cards.nth(1).focus()
        expect(cards.first.locator("p")).not_to_have_text(str(first))
        for _ in range(5):
            ada.page.keyboard.press("ArrowUp")
        expect(ada.page.locator(".card:focus > p")).to_have_text(str(first - 4))
        self.scroll(column, 0, "0")
        self.assertEqual(ada.card("new").count(), 0)

    def test_a_window_of_another_size_is_filled_and_its_chat_stays_at_its_end(self):
        self.server.fill("todo", 1000)
        self.server.dispatch_all("Say", [{"text": f"message {n}"} for n in range(60)])
        ada = self.join("ada")
        last = ada.page.get_by_text("message 59", exact=True)
        expect(last).to_be_in_viewport()
        ada.page.set_viewport_size({"width": 1280, "height": 400})
        expect(last).to_be_in_viewport()
        cards = ada.column("To do").locator(".card")
        before = cards.count()
        ada.page.set_viewport_size({"width": 1280, "height": 6000})
        wait_until(lambda: cards.count() > before, "more cards")

    def scroll(self, column, end, text):
        """Scrolls to an end of a column (0 or -1), as often as more comes, until it shows a card."""
        script = """(list, end) => {
            list.scrollTop = end ? list.scrollHeight : 0;
            return new Promise((next) => requestAnimationFrame(() => {
                const card = [...list.querySelectorAll(".card")].at(end);
                const [shown, box] = [list, card].map((one) => one.getBoundingClientRect());
                const isInView = box.top < shown.bottom && box.bottom > shown.top;
                next(isInView ? card.querySelector("p").textContent : "");
            }));
        }"""
        wait_until(lambda: column.locator(".cards").evaluate(script, end) == text,
                   f"{text} is in view at the column's end {end}")

    def test_who_is_here(self):
        ada, bob = self.join("ada"), self.join("bob <b>")
        for board, other in ((ada, "bob <b>"), (bob, "ada")):
            # Oneself is on the button beside them.
            people = board.page.get_by_label("Who else is here").get_by_role("listitem")
            expect(people.locator(".spoken")).to_have_text([other])
        bob.page.reload()
        expect(bob.page.locator("#name-button")).to_contain_text("bob <b>")

    def test_chat_and_cards_are_text(self):
        ada, bob = self.join("ada"), self.join("bob")
        evil = "<img src=x onerror=alert(1)><script>alert(2)</script> & so"
        ada.page.get_by_label("Message", exact=True).fill(evil)
        ada.page.get_by_role("button", name="Send").click()
        ada.add("To do", evil)
        expect(bob.page.locator(".message .text")).to_have_text([evil])
        bob.has("To do", [evil])
        self.assertEqual(bob.page.locator("img[src=x]").count(), 0)

    def test_what_was_done_offline_is_merged_once(self):
        for text in ["Read", "Write"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.drag("Write", "Doing")
        ada.add("Doing", "Ada's")
        ada.card("Read").get_by_label("Vote").click()
        expect(ada.waits()).to_have_text(["Read", "Write", "Ada's"])
        expect(ada.page.locator("#banner")).to_contain_text(
            "3 changes wait here to be sent: nothing is lost.")
        bob.drag("Read", "Done")
        bob.add("To do", "Bob's")
        bob.card("Read").get_by_label("Vote").click()
        bob.has("Done", ["Read"])
        bob.is_live()
        ada.page.context.set_offline(False)
        ada.is_live()
        for board in (ada, bob):
            board.has("To do", ["Bob's"])
            board.has("Doing", ["Write", "Ada's"])
            board.has("Done", ["Read"])
            expect(board.card("Read").locator(".votes")).to_have_text("▲ 2")
        self.assertEqual(self.server.cards("doing"), ["Write", "Ada's"])
        expect(ada.waits()).to_have_count(0)

    def test_a_vote_in_the_terminal_is_ones_own_before_the_server_knows_of_it(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        with Terminal(self.server.url, "ada") as terminal:
            terminal.wait_for("Read", "To do", "Doing")
            self.server.kill()
            terminal.press("v")
            # Filled: Ada's own, which the same key takes back.
            terminal.wait_for("▲1", "To do", "Doing")
            terminal.press("v")
            terminal.wait_for("▲1", "To do", "Doing", is_there=False)
            terminal.press("v")
            terminal.wait_for("▲1", "To do", "Doing")
            self.server.start()
            bob = self.join("bob")
            expect(bob.card("Read").locator(".votes")).to_have_text("▲ 1")

    def test_a_card_that_was_made_offline_is_like_any_other(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.add("To do", "Ada's")
        ada.card("Ada's").get_by_label("Vote").click()
        ada.drag("Ada's", "Done")
        expect(ada.waits()).to_have_text(["Ada's"])
        ada.has("Done", ["Ada's"])
        ada.page.context.set_offline(False)
        for board in (ada, bob):
            board.has("To do", [])
            board.has("Done", ["Ada's"])
            expect(board.card("Ada's").locator(".votes")).to_have_text("▲ 1")
            expect(board.waits()).to_have_count(0)

    def test_two_who_edit_one_card_at_once_lose_nothing(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})
        ada, bob = self.join("ada"), self.join("bob")
        adas, bobs = (board.open("Buy tea.") for board in (ada, bob))
        adas.press("End")
        ada.page.keyboard.type(" And milk.")
        ada.page.keyboard.press("ArrowLeft")
        bobs.press("Home")
        bob.page.keyboard.type("Now: ")
        bob.save()
        expect(adas).to_have_value("Now: Buy tea. And milk.")
        # The cursor is where it was.
        ada.page.keyboard.type(" too")
        ada.save()
        for board in (ada, bob):
            board.has("To do", ["Now: Buy tea. And milk too."])
            expect(board.waits()).to_have_count(0)
        self.assertEqual(self.server.cards("todo"), ["Now: Buy tea. And milk too."])

    def test_two_who_edit_one_card_one_of_them_offline_lose_nothing(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        for more in [" And milk.", " And bread."]:
            ada.open("Buy tea.").press("End")
            ada.page.keyboard.type(more)
            ada.save()
        expect(ada.waits()).to_have_text(["Buy tea. And milk. And bread."])
        bob.open("Buy tea.").press("Home")
        bob.page.keyboard.type("Now: ")
        bob.save()
        bob.has("To do", ["Now: Buy tea."])
        expect(bob.waits()).to_have_count(0)
        ada.page.context.set_offline(False)
        for board in (ada, bob):
            board.has("To do", ["Now: Buy tea. And milk. And bread."])
            expect(board.waits()).to_have_count(0)

    def test_a_card_is_edited_in_the_terminal_and_in_a_page_at_once(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})
        ada = self.join("ada")
        with Terminal(self.server.url, "carol") as terminal:
            terminal.wait_for("Buy tea.", "To do", "Doing")
            adas = ada.open("Buy tea.")
            terminal.press("e Milk.\r")
            expect(adas).to_have_value("Buy tea. Milk.")
            adas.press("Home")
            ada.page.keyboard.type("Now: ")
            ada.save()
            terminal.wait_for("Now: Buy tea. Milk.", "To do", "Doing")

    def test_pages_outlive_their_server(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        ada, bob = self.join("ada"), self.join("bob")
        ada.add("To do", "Before")
        bob.has("To do", ["Read", "Before"])
        self.server.kill()
        for board in (ada, bob):
            expect(board.page.locator("#banner")).to_be_visible()
        ada.add("To do", "Ada's")
        bob.drag("Read", "Done")
        expect(ada.waits()).to_have_text(["Ada's"])
        expect(bob.waits()).to_have_text(["Read"])
        self.server.start()
        for board in (ada, bob):
            board.is_live()
            board.has("To do", ["Before", "Ada's"])
            board.has("Done", ["Read"])
            expect(board.waits()).to_have_count(0)

    def test_a_page_that_was_closed_offline_sends_what_it_had(self):
        ada, bob = self.join("ada"), self.join("bob")
        self.server.kill()
        expect(ada.page.locator("#banner")).to_be_visible()
        ada.add("To do", "Ada's")
        expect(ada.page.locator("#banner")).to_contain_text("1 change waits")
        context = ada.page.context
        ada.page.close()
        self.server.start()
        context.new_page().goto(self.server.page)
        bob.has("To do", ["Ada's"])

    def test_a_rejection_is_told_and_undone(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.card("Read").get_by_label("Vote").click()
        expect(ada.card("Read").locator(".votes")).to_have_text("▲ 1")
        bob.remove("Read")
        bob.has("To do", [])
        ada.page.context.set_offline(False)
        notice = ada.page.get_by_role("alert")
        expect(notice).to_have_text("Your vote was not taken: There is no such card (any more).✕")
        ada.has("To do", [])


class DocumentTests(BrowserTest):
    def document(self):
        return {"document": {"votes": {"tea": 2}, "log": ["<b>", None]}}

    def test_a_document_is_shown_and_changed(self):
        page = self.open()
        expect(page.locator("#tree")).to_contain_text('tea: 2')
        expect(page.locator("#tree")).to_contain_text('"<b>"')
        page.get_by_label("Path").fill("/votes/tea")
        page.get_by_label("Action").select_option("increment")
        page.get_by_label("Value").fill("3")
        page.get_by_role("button", name="Dispatch").click()
        expect(page.locator("#tree")).to_contain_text('tea: 5')
        self.server.dispatch("set", {"path": "/votes/tea", "value": 7})
        expect(page.locator("#tree")).to_contain_text('tea: 7')
        page.get_by_label("Path").fill("/nothing/here")
        page.get_by_role("button", name="Dispatch").click()
        expect(page.get_by_role("alert")).to_contain_text("there is no member")


if __name__ == "__main__":
    unittest.main()
