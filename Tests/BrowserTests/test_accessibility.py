"""The board's page by the rules of axe (WCAG 2 A and AA, and what axe calls best practices)."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from pages import BrowserTest, expect

PHONE = {"viewport": {"width": 390, "height": 780}, "is_mobile": True, "has_touch": True}


class AccessibilityTests(BrowserTest):
    def setUp(self):
        super().setUp()
        for text in ["Read", "Write"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        self.server.dispatch("Say", {"text": "Hello"})

    def check(self, page, what):
        """What is shown breaks no rule. What moves has come to rest: its colours would be mixed."""
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        results = Axe().run(page)
        self.assertGreater(len(results.response["passes"]), 10)
        self.assertEqual(results.violations_count, 0, f"{what}: {results.generate_report()}")

    def test_a_board_in_all_its_states_in_light_and_in_dark(self):
        for scheme in ["light", "dark"]:
            page = self.open(color_scheme=scheme)
            expect(page.locator(".card")).to_have_count(2)
            self.check(page, f"{scheme}, before joining")
            ada = self.join("ada", color_scheme=scheme)
            expect(ada.page.locator(".card")).to_have_count(2)
            self.check(ada.page, scheme)
            for name, opener in [
                ("the name's dialog", "#name-button"), ("help", "#help-button"),
                ("the menu", "#board-button"), ("a new column", ".add-column"),
                ("a column", ".column .icon"), ("a card", ".card .icon"),
            ]:
                ada.page.locator(opener).first.click()
                self.check(ada.page, f"{scheme}, {name}")
                ada.page.keyboard.press("Escape")
            ada.edit("Read")
            ada.page.keyboard.type(" on")
            self.check(ada.page, f"{scheme}, editing")
            ada.page.keyboard.press("Escape")
            ada.page.context.set_offline(True)
            expect(ada.page.locator("#banner")).to_be_visible()
            ada.card("Write").get_by_label("Vote").click()
            ada.remove("Read")
            expect(ada.undo()).to_be_visible()
            self.check(ada.page, f"{scheme}, offline, with a draft and something to undo")

    def test_an_empty_board_its_tour_and_a_phone(self):
        page = self.open("b/empty", **PHONE)
        page.get_by_role("button", name="Stay anonymous").click()
        expect(page.locator("#welcome")).to_be_visible()
        self.check(page, "empty")
        page.locator("#welcome-tour").tap()
        for _ in range(5):
            self.check(page, "the tour")
            page.locator("#tour-next").tap()
        page.locator("#chat-button").tap()
        expect(page.locator("#chat")).to_be_visible()
        self.check(page, "the chat")


if __name__ == "__main__":
    unittest.main()
