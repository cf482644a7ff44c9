"""Texts that are edited where they are; and nothing that was typed is lost."""

import unittest

from pages import BrowserTest, expect
from programs import Watch


class EditingTests(BrowserTest):
    def setUp(self):
        super().setUp()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})

    def test_a_card_is_edited_where_it_is(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        ada.page.keyboard.press("Shift+Enter")
        ada.page.keyboard.type("Today")
        ada.page.keyboard.press("Enter")
        for board in (ada, bob):
            board.has("To do", ["Buy tea. And milk.\nToday"])
        expect(ada.card("Buy tea.")).to_be_focused()
        expect(ada.page.locator(".editing")).to_have_count(0)

    def test_two_edit_one_card_where_it_is_and_both_texts_are_in_it(self):
        ada, bob = self.join("ada"), self.join("bob")
        adas = ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        bob.edit("Buy tea.").press("Home")
        bob.page.keyboard.type("Now: ")
        bob.save()
        expect(adas).to_have_value("Now: Buy tea. And milk.")
        ada.save()
        for board in (ada, bob):
            board.has("To do", ["Now: Buy tea. And milk."])
            expect(board.waits()).to_have_count(0)

    def test_a_card_that_somebody_moves_goes_on_being_edited(self):
        ada, bob = self.join("ada"), self.join("bob")
        field = ada.edit("Buy tea.")
        ada.page.keyboard.type(" And")
        bob.drag("Buy tea.", "Done")
        expect(ada.column("Done").locator(".editing")).to_have_count(1)
        expect(field).to_be_focused()
        ada.page.keyboard.type(" milk.")
        ada.save()
        ada.has("Done", ["Buy tea. And milk."])

    def test_the_end_of_a_drag_is_no_click(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Rest"})
        ada = self.join("ada")
        ada.drag("Rest", "To do", above="Buy tea.")
        ada.has("To do", ["Rest", "Buy tea."])
        ada.drag("Rest", "To do", above="Buy tea.")
        expect(ada.page.locator(".ghost")).to_have_count(0)
        expect(ada.page.locator(".editing")).to_have_count(0)

    def test_escape_keeps_a_draft_which_the_card_shows(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        ada.page.keyboard.press("Escape")
        ada.has("To do", ["Buy tea."])
        expect(ada.card("Buy tea.")).to_have_accessible_name(
            "Buy tea., 0 votes, has a draft of yours")
        bob.edit("Buy tea.").press("Home")
        bob.page.keyboard.type("Now: ")
        bob.save()
        ada.has("To do", ["Now: Buy tea."])
        ada.page.reload()
        ada.page.get_by_role("button", name="Go on with what you typed in this card").click()
        field = ada.page.get_by_label("Text of the card")
        expect(field).to_have_value("Now: Buy tea. And milk.")
        ada.save()
        ada.has("To do", ["Now: Buy tea. And milk."])
        expect(ada.page.locator(".draft:visible")).to_have_count(0)

    def test_a_draft_is_the_same_in_the_cards_dialog_and_can_be_discarded(self):
        ada = self.join("ada")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        ada.page.keyboard.press("Escape")
        expect(ada.open("Buy tea.")).to_have_value("Buy tea. And milk.")
        ada.page.get_by_label("Who does it").fill("bob")
        ada.page.keyboard.press("Escape")
        ada.page.reload()
        ada.open("Buy tea.")
        expect(ada.page.get_by_label("Who does it")).to_have_value("bob")
        ada.page.get_by_role("button", name="Discard changes").click()
        expect(ada.page.locator(".draft:visible")).to_have_count(0)
        expect(ada.open("Buy tea.")).to_have_value("Buy tea.")
        expect(ada.page.get_by_label("Who does it")).to_have_value("")
        expect(ada.page.get_by_role("button", name="Cancel")).to_be_visible()

    def test_what_is_typed_outlives_the_page(self):
        ada = self.join("ada")
        ada.column("Doing").get_by_role("button", name="Add a card").click()
        ada.page.keyboard.type("A new")
        ada.page.get_by_label("Message", exact=True).fill("Half a mess")
        ada.column("Done").locator("h2").click()
        ada.page.keyboard.type("Finished")
        ada.page.keyboard.press("Escape")
        context = ada.page.context
        ada.page.close()
        ada.page = context.new_page()
        ada.page.goto(self.server.page)
        expect(ada.page.get_by_label("Message", exact=True)).to_have_value("Half a mess")
        field = ada.column("Doing").get_by_label("Text of the new card")
        expect(field).to_have_value("A new")
        field.press("Enter")
        ada.has("Doing", ["A new"])
        ada.column("Done").locator("h2").click()
        ada.page.keyboard.press("Enter")
        expect(ada.column("Finished")).to_be_visible()
        ada.page.reload()
        expect(field).to_be_hidden()

    def test_a_column_is_renamed_where_its_title_is(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.column("To do").locator("h2").click()
        expect(ada.page.get_by_label("Title", exact=True).first).to_be_focused()
        ada.page.keyboard.type("Later")
        ada.page.keyboard.press("Enter")
        for board in (ada, bob):
            board.has("Later", ["Buy tea."])
            expect(board.column("Later").locator("h2")).to_have_text("Later")

    def test_delete_removes_a_card_at_once_and_undo_brings_it_back(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.remove("Buy tea.")
        for board in (ada, bob):
            board.has("To do", [])
        ada.undo().click()
        for board in (ada, bob):
            board.has("To do", ["Buy tea."])


class GoneTests(BrowserTest):
    def setUp(self):
        super().setUp()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})

    def test_what_was_typed_in_a_card_that_is_removed_meanwhile_becomes_a_new_one(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        bob.remove("Buy tea.")
        notice = ada.notice()
        expect(notice).to_contain_text("Somebody has removed the card that you were editing.")
        expect(notice.locator("q")).to_have_text("Buy tea. And milk.")
        ada.page.reload()
        expect(notice.locator("q")).to_have_text("Buy tea. And milk.")
        notice.get_by_role("button", name="Close").click()
        ada.page.reload()
        ada.has("To do", [])
        expect(notice).to_have_count(0)

    def test_it_can_be_added_as_a_new_card_with_one_click(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        bob.remove("Buy tea.")
        ada.page.get_by_role("button", name="Add as a new card").click()
        for board in (ada, bob):
            board.has("To do", ["Buy tea. And milk."])
        expect(ada.notice()).to_have_count(0)

    def test_the_cards_dialog_says_so_too(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.open("Buy tea.").press("End")
        ada.page.keyboard.type(" And milk.")
        bob.remove("Buy tea.")
        expect(ada.page.locator("#card-gone")).to_be_visible()
        ada.page.get_by_role("button", name="Add as a new card").click()
        for board in (ada, bob):
            board.has("To do", ["Buy tea. And milk."])

    def test_what_was_typed_in_the_dialog_is_shown_when_it_is_closed_after_that(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.open("Buy tea.").press("End")
        ada.page.keyboard.type(" And milk.")
        bob.remove("Buy tea.")
        expect(ada.page.locator("#card-gone")).to_be_visible()
        ada.page.keyboard.press("Escape")
        expect(ada.notice().locator("q")).to_have_text("Buy tea. And milk.")

    def test_a_draft_whose_card_was_removed_while_the_page_was_away_is_shown(self):
        ada = self.join("ada")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        context = ada.page.context
        ada.page.close()
        bob = self.join("bob")
        bob.remove("Buy tea.")
        bob.has("To do", [])
        expect(bob.waits()).to_have_count(0)
        ada.page = context.new_page()
        ada.page.goto(self.server.page)
        expect(ada.notice().locator("q")).to_have_text("Buy tea. And milk.")

    def test_what_the_server_refuses_is_kept_with_the_reason(self):
        ada, bob = self.join("ada"), self.join("bob")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#status")).to_have_text("Offline")
        ada.edit("Buy tea.")
        ada.page.keyboard.type(" And milk.")
        ada.save()
        bob.remove("Buy tea.")
        with Watch(self.server.url, "todo") as swift:
            swift.wait_for([])
        ada.page.context.set_offline(False)
        notice = ada.notice()
        expect(notice).to_contain_text(
            "The card was not changed: There is no such card (any more).")
        expect(notice.locator("q")).to_have_text("Buy tea. And milk.")
        ada.page.reload()
        expect(notice).to_contain_text("The card was not changed")
        expect(notice.locator("q")).to_have_text("Buy tea. And milk.")


if __name__ == "__main__":
    unittest.main()
