"""Browsers, and what is on the board's page."""

import unittest

from playwright.sync_api import expect, sync_playwright

from programs import DEADLINE, Server

expect.set_options(timeout=DEADLINE * 1000)


class BrowserTest(unittest.TestCase):
    """A server, and a browser for people who each have a profile of their own."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.chromium = cls.playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1"])
        cls.addClassCleanup(cls.chromium.close)

    def setUp(self):
        self.problems = []
        self.server = Server(**self.document())
        self.addCleanup(self.server.stop)

    def tearDown(self):
        self.assertEqual(self.problems, [])

    def document(self):
        return {}

    def open(self, path="", script=None, **options):
        """A page of a new profile, whose errors fail the test."""
        if options.get("ignore_https_errors"):
            # Chromium takes a worker only with a certificate that it trusts.
            options["service_workers"] = "block"
        context = self.chromium.new_context(**options)
        context.set_default_timeout(DEADLINE * 1000)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("console", lambda message: self._hear(message))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        if script:
            page.add_init_script(script)
        page.goto(self.server.page + path)
        return page

    def join(self, name, path="", script=None, **options):
        page = self.open(path, script, **options)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Join the board").click()
        # With the name the page begins anew.
        expect(page.locator("#name-button")).to_contain_text(name)
        board = Board(page)
        board.is_live()
        return board

    def _hear(self, message):
        # Chromium itself says that a server is away; whether the page copes is tested.
        is_outage = any(text in message.text for text in [
            "WebSocket connection to", "ERR_INTERNET_DISCONNECTED",
            "registration blocked by Playwright"])
        if message.type in ("error", "warning") and not is_outage:
            self.problems.append(message.text)


class Board:
    """The board's page as a person sees it."""

    def __init__(self, page):
        self.page = page

    def is_live(self):
        expect(self.page.locator("#status")).to_have_text("Live")

    def column(self, title):
        return self.page.get_by_role("region", name=title, exact=True)

    def card(self, text):
        return self.page.locator(".card", has_text=text)

    def has(self, title, texts):
        """Waits until a column has these cards, and no others."""
        expect(self.column(title).locator(".card > p")).to_have_text(texts)

    def drag(self, text, title, above=None):
        """Drags a card into a column, above another one or to its end."""
        mouse = self.page.mouse
        # Waits until it has come to rest, as cards glide to new places.
        self.card(text).hover(position={"x": 30, "y": 15})
        start = self.card(text).bounding_box()
        mouse.down()
        mouse.move(start["x"] + 45, start["y"] + 30)
        target = (self.card(above) if above else self.column(title).locator(".add")).bounding_box()
        mouse.move(target["x"] + 40, target["y"] + 4, steps=5)
        expect(self.column(title).locator(".place")).to_have_count(1)
        mouse.up()

    def add(self, title, text):
        self.column(title).get_by_role("button", name="Add a card").click()
        field = self.column(title).get_by_label("Text of the new card")
        field.fill(text)
        field.press("Enter")
        field.press("Escape")

    def edit(self, text):
        """Opens the text of a card where it is; returns the field."""
        self.card(text).locator("p").click()
        field = self.page.get_by_label("Text of the card")
        expect(field).to_be_focused()
        return field

    def open(self, text):
        """Opens a card; returns the field with its text."""
        self.card(text).get_by_label("Open the card").click()
        field = self.page.get_by_label("Text", exact=True)
        expect(field).to_be_focused()
        return field

    def save(self):
        self.page.get_by_role("button", name="Save").click()

    def remove(self, text):
        self.card(text).focus()
        self.page.keyboard.press("Delete")

    def notice(self):
        return self.page.locator(".notice")

    def undo(self):
        """The button that takes back what was done last, beside what that was."""
        return self.page.locator(".toast:visible").get_by_role("button", name="Undo")

    def waits(self):
        """The texts that are shown as not saved yet."""
        return self.page.locator(".card.waiting > p")
