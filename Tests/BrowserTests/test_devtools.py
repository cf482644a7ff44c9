"""The developers' page, looking at a board with a little history."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

from playwright.sync_api import expect

from pages import BrowserTest
from programs import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[2]


class DevtoolsTest(BrowserTest):
    def setUp(self):
        super().setUp()
        for name, text in [("ada", "One"), ("bob", "Two"), ("ada", "Three")]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text}, name)

    def look(self, **options):
        """The page of the developers, when it has the log so far."""
        page = self.open(self.server.devtools, **options)
        expect(page.locator("#status")).to_have_text("live")
        expect(self.row(page, "Three")).to_have_count(1)
        return page

    def row(self, page, text):
        return page.locator("#log li", has_text=text)

    def version(self, page, text):
        """The version that the dispatch led to."""
        return int(self.row(page, text).locator("span").first.inner_text())

    def state(self, page):
        return page.get_by_role("tabpanel", name="State")

    def label(self, page):
        return page.locator("#time output")


class TimeTravelTest(DevtoolsTest):
    def test_the_slider_goes_through_the_journal_and_leaves_the_room_alone(self):
        page = self.look()
        slider = page.get_by_label("Version", exact=True)
        slider.focus()
        page.keyboard.press("Home")
        expect(self.label(page)).to_contain_text("v0 of")
        expect(self.state(page)).to_contain_text("v0: 0 places")
        expect(self.state(page)).not_to_contain_text('"One"')
        for _ in range(self.version(page, "Two")):
            page.keyboard.press("ArrowRight")
        expect(self.label(page)).to_contain_text("AddCard by bob")
        expect(self.state(page).locator(".added", has_text='"Two"')).to_have_count(1)
        expect(self.state(page)).not_to_contain_text('"Three"')
        self.assertEqual(self.server.cards("todo"), ["One", "Two", "Three"])

    def test_a_past_state_stays_when_the_room_goes_on(self):
        page = self.look()
        self.row(page, "Two").click()
        expect(self.state(page).locator(".added", has_text='"Two"')).to_have_count(1)
        self.server.dispatch("AddCard", {"column": "todo", "text": "Four"})
        expect(self.row(page, "Four")).to_have_count(1)
        expect(self.state(page)).not_to_contain_text('"Four"')
        page.get_by_role("tab", name="Diff to now").click()
        expect(page.locator(".differences .added", has_text='"Four"')).to_have_count(1)
        page.get_by_role("button", name="Live").click()
        page.get_by_role("tab", name="State").click()
        expect(self.state(page)).to_contain_text('"Four"')

    def test_choosing_the_room_that_is_looked_at_changes_nothing(self):
        page = self.look()
        self.row(page, "Two").click()
        two = self.state(page).locator(".added", has_text='"Two"')
        expect(two).to_have_count(1)
        page.locator("#rooms").get_by_role("button", name="/", exact=True).click()
        # What it would change is shown by the second frame.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(done)))")
        expect(two).to_have_count(1)
        expect(self.label(page)).to_contain_text("AddCard by bob")
        page.get_by_role("button", name="Live").click()
        expect(self.state(page)).to_contain_text('"Three"')

    def test_a_dispatch_is_skipped_and_all_else_is_as_it_was(self):
        page = self.look()
        version = self.version(page, "One")
        self.row(page, "One").hover()
        page.get_by_role("button", name=f"Skip version {version}", exact=True).click()
        # The card, its column's count, and the two other cards' ranks, each another element.
        expect(self.state(page)).to_contain_text(f"without v{version}: otherwise in 6 places")
        expect(self.state(page).locator(".removed", has_text='"One"')).to_have_count(1)
        expect(self.row(page, "One")).to_have_class("skipped")
        page.get_by_role("button", name="Skip nothing").click()
        expect(self.state(page).locator(".removed")).to_have_count(0)


class DispatchTest(DevtoolsTest):
    def form(self, page, kind, payload):
        page.get_by_role("tab", name="Dispatch").click()
        page.get_by_label("Type").fill(kind)
        page.get_by_label("Payload, as JSON").fill(payload)

    def test_an_action_is_dispatched_by_the_form(self):
        page = self.look()
        self.form(page, "AddCard", '{"column": "todo", "text": "Four"}')
        page.get_by_role("button", name="Dispatch", exact=True).click()
        expect(page.locator(".results li").first).to_contain_text("AddCard in / v")
        expect(self.row(page, "Four")).to_contain_text("storecast")
        self.assertEqual(self.server.cards("todo"), ["One", "Two", "Three", "Four"])

    def test_what_is_no_json_is_said_and_not_sent(self):
        page = self.look()
        self.form(page, "AddCard", '{"column": ')
        expect(page.locator("#payload-problem")).to_contain_text("JSON")
        expect(page.get_by_role("button", name="Dispatch", exact=True)).to_be_disabled()

    def test_a_rejection_is_shown_with_its_reason(self):
        page = self.look()
        self.form(page, "AddCard", '{"column": "nowhere", "text": "Four"}')
        page.get_by_label("Payload, as JSON").press("Control+Enter")
        expect(page.locator(".results .rejected")).to_contain_text("column")
        expect(self.row(page, "no such column")).to_have_class("rejected")


class ClusterTest(DevtoolsTest):
    def test_a_server_by_itself_shows_no_cluster(self):
        page = self.look()
        expect(page.locator("#cluster")).to_be_hidden()

    def test_a_cluster_is_shown_with_its_servers_and_where_rooms_are(self):
        page = self.look()
        # The server has all modules of the page in one.
        page.route("**/modules/**", lambda route: route.fulfill(
            path=ROOT / "Clients/Web" / route.request.url.split("/modules/")[1]))
        server = {"address": "ws://10.0.0.1:9091", "isDrained": False, "isOwn": False}
        page.evaluate(
            """async (cluster) => {
                const { ClusterTable } = await import("/modules/devtools/views/ClusterTable.js");
                new ClusterTable(document.getElementById("cluster")).show(cluster);
            }""",
            {
                "servers": [
                    {**server, "id": "a1", "rooms": 1, "isOwn": True},
                    {**server, "id": "b2", "rooms": 0, "isDrained": True},
                ],
                "rooms": [{"room": "/x", "server": "a1"}, {"room": "/y"}],
                "total": 5,
            })
        cluster = page.locator("#cluster")
        expect(cluster.locator("tr", has_text="b2")).to_have_class("warning")
        expect(cluster.locator("tr", has_text="b2")).to_contain_text("drained")
        expect(cluster.locator("tbody tr", has_text="this one")).to_contain_text("a1")
        cluster.get_by_text("Which room is where").last.click()
        expect(cluster.locator("tr", has_text="/x")).to_contain_text("a1")
        expect(cluster.locator("tr", has_text="/y")).to_contain_text("nobody")
        expect(cluster).to_contain_text("and 3 more")


class LogTest(DevtoolsTest):
    def test_the_log_is_filtered(self):
        page = self.look()
        page.get_by_label("Filter the log").fill("bob")
        expect(self.row(page, "Two")).to_have_count(1)
        expect(self.row(page, "One")).to_have_count(0)
        page.get_by_label("Filter the log").fill("")
        expect(self.row(page, "One")).to_have_count(1)

    def test_a_long_payload_is_shown_whole_on_demand(self):
        page = self.look()
        # In the journal it has several bytes for each character.
        self.server.dispatch("AddCard", {"column": "todo", "text": "💡" * 300 + " the end"})
        self.row(page, "💡💡💡").click()
        page.get_by_role("tab", name="Action").click()
        expect(page.get_by_role("tabpanel", name="Action")).to_contain_text("the end")

    def test_the_log_is_exported_and_imported(self):
        page = self.look()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        text = download.value.path().read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(lines[0]["journal"], "storecast")
        texts = [
            action["payload"]["text"]
            for line in lines[1:] for action in line["actions"] if action["type"] == "AddCard"]
        self.assertEqual(texts, ["One", "Two", "Three"])
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "copy.sqlite")
            for command in (["import", copy, download.value.path()], ["verify", copy]):
                subprocess.run(
                    [BUILD / "storecast", "journal", *command], check=True, capture_output=True)
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import").click()
        chooser.value.set_files(download.value.path())
        expect(page.locator(".banner")).to_contain_text("room /")
        self.row(page, "Two").click()
        expect(page.get_by_role("tabpanel", name="Action")).to_contain_text('"Two"')
        page.get_by_role("button", name="Back to the room").click()
        expect(page.locator(".banner")).to_be_hidden()

    def test_a_file_that_is_no_journal_is_refused_with_its_line(self):
        page = self.look()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import").click()
        chooser.value.set_files(
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Not a journal\n"})
        expect(page.get_by_role("alert")).to_have_text("Line 1: it isn't a JSON object.")


class KeyboardTest(DevtoolsTest):
    def test_everything_is_reached_with_the_keyboard_alone(self):
        page = self.look()
        page.keyboard.press("/")
        expect(page.get_by_label("Filter the log")).to_be_focused()
        for _ in range(5):
            page.keyboard.press("Tab")
        expect(page.get_by_role("listbox")).to_be_focused()
        page.keyboard.press("End")
        selected = page.locator("#log li[aria-selected=true]")
        expect(selected).to_have_count(1)
        page.keyboard.press("Home")
        expect(self.label(page)).to_contain_text("v1 of")
        page.keyboard.press("ArrowDown")
        expect(self.label(page)).to_contain_text("v2 of")
        page.keyboard.press("s")
        expect(selected).to_have_class("skipped")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("tab", name="State").focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Action")).to_be_focused()
        expect(page.get_by_role("tabpanel", name="Action")).to_be_visible()


class PeopleTest(DevtoolsTest):
    # One that stays when the server starts again.
    token = "only developers know this"

    def setUp(self):
        with mock.patch.dict(os.environ, STORECAST_DEVTOOLS_TOKEN=self.token):
            super().setUp()
        self.server.devtools += "#token=" + self.token.replace(" ", "+")

    def test_rooms_and_those_in_them_are_shown(self):
        board = self.join("carol")
        page = self.look()
        expect(page.locator("#rooms tbody tr")).to_have_count(1)
        page.get_by_role("tab", name="Clients").click()
        people = page.get_by_role("tabpanel", name="Clients")
        expect(people).to_contain_text("carol")
        expect(people).to_contain_text("column")
        expect(page.get_by_role("img", name="actions/s")).to_be_visible()
        board.is_live()

    def test_the_page_goes_on_when_the_server_was_killed(self):
        page = self.look()
        self.server.kill()
        expect(page.locator("#status")).to_contain_text("offline")
        with mock.patch.dict(os.environ, STORECAST_DEVTOOLS_TOKEN=self.token):
            self.server.start()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Four"})
        expect(self.state(page)).to_contain_text('"Four"')
        version = self.version(page, "Two")
        self.row(page, "Two").click()
        expect(self.state(page)).to_contain_text(f"v{version}: 2 places changed")
        page.get_by_role("button", name="Forward one version").click()
        expect(self.label(page)).to_contain_text(f"v{version + 1} of")

    def test_in_the_dark_and_on_a_phone(self):
        page = self.look(color_scheme="dark", viewport={"width": 390, "height": 800})
        self.row(page, "Two").click()
        expect(self.state(page).locator(".added")).to_have_count(1)


class MadeTokenTest(DevtoolsTest):
    def test_the_url_that_is_printed_opens_the_page_and_no_other_does(self):
        token = self.server.devtools.partition("#token=")[2]
        self.assertRegex(token, "^[0-9a-f]{32}$")
        page = self.look()
        self.assertEqual(page.url, self.server.page + "devtools/")
        # As long as the tab is open.
        page.reload()
        expect(page.locator("#status")).to_have_text("live")
        stranger = self.open("devtools/")
        expect(stranger.get_by_role("dialog")).to_be_visible()
        expect(stranger.locator("#status")).to_contain_text("refused")
        # The URL is pasted into the tab that was refused.
        stranger.goto(self.server.page + self.server.devtools)
        expect(stranger.locator("#status")).to_have_text("live")
        self.assertNotIn(token, stranger.url)


class TokenTest(DevtoolsTest):
    token = "only developers know this"

    def setUp(self):
        with mock.patch.dict(os.environ, STORECAST_DEVTOOLS_TOKEN=self.token):
            super().setUp()

    def test_a_server_with_a_token_asks_for_it(self):
        self.assertEqual(self.server.devtools, "devtools/")
        page = self.open("devtools/")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Token").fill("something else entirely")
        dialog.get_by_role("button", name="Look").click()
        expect(page.locator("#status")).to_contain_text("refused")
        dialog.get_by_label("Token").fill(self.token)
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_have_text("live")
        expect(self.row(page, "Three")).to_have_count(1)
        self.assertNotIn(self.token, page.url)


if __name__ == "__main__":
    unittest.main()
