"""Somebody's first minutes on a board: a name or none, an empty board, and the others."""

import hashlib
import json
import pathlib
import re
import tempfile
import unittest

from pages import Board, BrowserTest, expect

PHONE = {"viewport": {"width": 390, "height": 780}, "is_mobile": True, "has_touch": True}


class NameTests(BrowserTest):
    def test_the_board_is_live_behind_the_question_for_a_name(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        self.server.dispatch("Say", {"text": "Hello"})
        page = self.open()
        board = Board(page)
        expect(page.get_by_label("Your name")).to_be_focused()
        board.is_live()
        board.has("To do", ["Read"])
        expect(page.locator("#messages")).to_contain_text("Hello")
        self.server.dispatch("AddCard", {"column": "todo", "text": "Write"})
        board.has("To do", ["Read", "Write"])

    def test_a_name_is_taken_back_and_nobody_is_asked_twice(self):
        ada, bob = self.join("ada"), self.join("bob")
        others = bob.page.get_by_label("Who else is here").locator(".spoken")
        expect(others).to_have_text(["ada"])
        ada.page.locator("#name-button").click()
        ada.page.get_by_role("button", name="Be anonymous").click()
        # Who has gone is told of after a quarter of a minute, or later on a slow machine.
        expect(others).to_have_text(["anonymous"], timeout=60_000)
        expect(ada.page.locator("#name-button")).to_contain_text("anonymous")
        ada.page.reload()
        ada.is_live()
        expect(ada.page.locator("dialog[open]")).to_have_count(0)
        ada.page.locator("#name-button").click()
        ada.page.get_by_label("Your name").fill("Ada")
        ada.page.get_by_role("button", name="Join the board").click()
        expect(others).to_have_text(["Ada"], timeout=60_000)

    def test_who_takes_a_name_does_not_meet_whom_they_were_before(self):
        self.join("bob")
        ada = self.join("ada")
        expect(ada.page.locator("#people", has_text="bob")).to_be_visible()
        # For some seconds the server takes the anonymous ones to be there.
        self.assertEqual(ada.page.locator("#people .spoken").all_inner_texts(), ["bob"])

    def test_who_stays_anonymous_goes_on_with_the_same_page(self):
        page = self.open()
        page.evaluate("window.isTheSame = true")
        page.get_by_role("button", name="Stay anonymous").click()
        Board(page).add("To do", "Read")
        Board(page).has("To do", ["Read"])
        self.assertTrue(page.evaluate("window.isTheSame"))
        page.reload()
        Board(page).has("To do", ["Read"])
        expect(page.locator("dialog[open]")).to_have_count(0)

    def test_a_name_that_is_changed_offline_is_told_to_wait(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Write"})
        # With a service worker the page would open again at once.
        ada = self.join("ada", service_workers="block")
        ada.has("To do", ["Write"])
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.add("To do", "Read")
        ada.page.locator("#name-button").click()
        expect(ada.page.locator("#name-waiting")).to_contain_text("Not saved yet: 1 change.")
        ada.page.get_by_label("Your name").fill("Ada Lovelace")
        ada.page.get_by_role("button", name="Change my name").click()
        expect(ada.notice()).to_contain_text(
            "You are Ada Lovelace when the page is loaded again.")
        expect(ada.card("Read")).to_have_count(1)


class TokenTests(BrowserTest):
    def document(self):
        folder = tempfile.TemporaryDirectory(prefix="storecast-")
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name, "tokens.json")
        digest = hashlib.sha256(b"ada-secret").hexdigest()
        file.write_text(json.dumps([{"sha256": digest, "id": "ada", "roles": []}]))
        return {"options": ["--tokens", str(file)]}

    def test_a_token_is_given_as_the_name_and_is_not_shown(self):
        page = self.open()
        expect(page.locator("#status")).to_have_text("Not connected")
        page.get_by_label("Your name").fill("ada-secret")
        page.get_by_role("button", name="Join the board").click()
        Board(page).is_live()
        expect(page.locator("#name-button")).to_have_text("ADada")
        Board(page).add("To do", "Read")
        Board(page).has("To do", ["Read"])
        expect(Board(page).waits()).to_have_count(0)


class EmptyBoardTests(BrowserTest):
    def test_sample_cards_are_cards_like_any_other(self):
        ada, bob = self.join("ada"), self.join("bob")
        for board in (ada, bob):
            expect(board.page.locator("#welcome")).to_be_visible()
        ada.page.get_by_role("button", name="Add sample cards").click()
        expect(ada.column("To do").locator(".add")).to_be_focused()
        for board in (ada, bob):
            expect(board.page.locator("#welcome")).to_be_hidden()
            expect(board.page.locator(".card")).to_have_count(5)
            expect(board.waits()).to_have_count(0)
        for title in ("To do", "Doing", "Done"):
            while ada.column(title).locator(".card").count() > 0:
                count = ada.page.locator(".card").count()
                ada.column(title).locator(".card").first.focus()
                ada.page.keyboard.press("Delete")
                expect(ada.page.locator(".card")).to_have_count(count - 1)
        expect(bob.page.locator("#welcome")).to_be_visible()

    def test_an_offer_that_is_closed_stays_so(self):
        ada = self.join("ada")
        welcome = ada.page.locator("#welcome")
        welcome.get_by_role("button", name="Close").click()
        expect(welcome).to_be_hidden()
        ada.add("To do", "Read")
        ada.has("To do", ["Read"])
        ada.remove("Read")
        ada.has("To do", [])
        expect(welcome).to_be_hidden()

    def test_nothing_is_said_to_be_empty_that_is_not_known(self):
        page = self.open(script="window.WebSocket = class { send() {} close() {} };")
        page.get_by_role("button", name="Stay anonymous").click()
        expect(page.locator("#columns")).to_have_text("The board is on its way…")
        expect(page.locator("#welcome")).to_be_hidden()
        said = page.locator("#messages").evaluate("it => getComputedStyle(it, '::after').content")
        self.assertEqual(said, "none")

    def test_the_tour_is_taken_by_keyboard_and_offered_once(self):
        ada = self.join("ada")
        page, keys = ada.page, ada.page.keyboard
        tour = page.get_by_role("dialog")
        opener = page.get_by_role("button", name="Take the one-minute tour")
        opener.focus()
        keys.press("Enter")
        titles = []
        for step in range(5):
            expect(page.locator("#tour-number")).to_have_text(f"{step + 1} of 5")
            expect(page.locator("#tour-next")).to_be_focused()
            titles.append(page.locator("#tour-title").text_content())
            expect(tour).to_have_accessible_name(titles[-1])
            self.assertEqual(page.locator("#tour-step").evaluate(
                "it => { const { left, top, right, bottom } = it.getBoundingClientRect();"
                "return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight; }"),
                True)
            keys.press("Enter")
        self.assertEqual(len(set(titles)), 5)
        expect(tour).to_have_count(0)
        expect(opener).to_be_hidden()
        page.reload()
        expect(page.locator("#welcome")).to_be_visible()
        expect(opener).to_be_hidden()
        page.locator("#board-button").click()
        page.get_by_role("button", name="Take the tour").click()
        keys.press("ArrowRight")
        expect(page.locator("#tour-number")).to_have_text("2 of 5")
        keys.press("ArrowLeft")
        expect(page.locator("#tour-number")).to_have_text("1 of 5")
        keys.press("Escape")
        expect(tour).to_have_count(0)


class ManyBoardsTests(BrowserTest):
    def test_a_new_board_has_a_link_and_nothing_of_the_others(self):
        ada = self.join("ada")
        ada.add("To do", "Here")
        ada.page.locator("#board-button").click()
        ada.page.get_by_role("button", name="New board").click()
        expect(ada.page).to_have_url(re.compile(r"/b/[a-z]+-[a-z]+-[0-9a-z]{10}$"))
        name = ada.page.url.rsplit("/", 1)[1]
        expect(ada.page).to_have_title(f"{name} · Board")
        expect(ada.page.locator("#board-name")).to_have_text(name)
        ada.is_live()
        ada.has("To do", [])
        ada.add("To do", "There")
        bob = self.join("bob", path=f"b/{name}")
        bob.has("To do", ["There"])
        ada.page.goto(self.server.page)
        ada.has("To do", ["Here"])
        expect(ada.page).to_have_title("Board")

    def test_the_link_is_copied(self):
        ada = self.join("ada", permissions=["clipboard-read", "clipboard-write"])
        ada.page.get_by_role("button", name="Share the link of this board").click()
        expect(ada.notice()).to_contain_text("The link is copied.")
        copied = ada.page.evaluate("navigator.clipboard.readText()")
        self.assertEqual(copied, self.server.page)

    def test_the_link_is_shown_where_there_is_no_clipboard(self):
        hidden = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        ada = self.join("ada", script=hidden)
        ada.page.get_by_role("button", name="Share the link of this board").click()
        field = ada.page.locator("#share-link")
        expect(field).to_have_value(self.server.page)
        expect(field).to_be_focused()
        ada.page.keyboard.press("Escape")
        expect(field).to_be_hidden()

    def test_a_phone_shares_the_link_its_own_way_and_has_help(self):
        script = "navigator.share = async (what) => { window.shared = what; };"
        ada = self.join("ada", script=script, **PHONE)
        ada.page.get_by_role("button", name="Share the link of this board").tap()
        shared = ada.page.evaluate("window.shared")
        self.assertEqual(shared, {"title": "Board", "url": self.server.page})
        ada.page.get_by_role("button", name="Keyboard and help").tap()
        expect(ada.page.get_by_role("dialog")).to_contain_text("hold it with a finger")


if __name__ == "__main__":
    unittest.main()
