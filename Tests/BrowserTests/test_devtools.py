"""The developers' page, looking at a board with a little history."""

import json
import os
import pathlib
import re
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

    def offer_modules(self, page):
        """Has `/modules/` be Clients/Web: the server has all modules of the page in one."""
        page.route("**/modules/**", lambda route: route.fulfill(
            path=ROOT / "Clients/Web" / route.request.url.split("/modules/")[1]))

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
        expect(self.state(page)).to_contain_text("v0: the beginning")
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
        expect(self.state(page)).to_contain_text(
            f"had v{version} never happened. 6 places differ from what is real. "
            "Every other dispatch ends as it did.")
        expect(self.state(page).locator(".removed", has_text='"One"')).to_have_count(1)
        expect(self.row(page, "One")).to_have_class("skipped")
        page.get_by_role("button", name="Skip nothing").click()
        expect(self.state(page).locator(".removed")).to_have_count(0)


class DispatchTest(DevtoolsTest):
    def form(self, page, kind, payload):
        page.get_by_role("tab", name="Dispatch").click()
        page.get_by_label("Type").select_option(kind)
        page.get_by_label("Payload, as JSON").fill(payload)

    def test_an_action_is_dispatched_by_the_form(self):
        page = self.look()
        self.form(page, "AddCard", '{"column": "todo", "text": "Four"}')
        page.get_by_role("button", name="Dispatch", exact=True).click()
        expect(page.locator(".results li").first).to_contain_text("AddCard in / v")
        expect(self.row(page, "Four")).to_contain_text("storecast")
        self.assertEqual(self.server.cards("todo"), ["One", "Two", "Three", "Four"])

    def test_the_types_that_the_room_takes_are_offered_with_payloads_to_begin_with(self):
        page = self.look()
        page.get_by_role("tab", name="Dispatch").click()
        kind = page.get_by_label("Type")
        expect(kind.locator("option", has_text="AddCard")).to_have_count(1)
        kind.select_option("AddCard")
        payload = page.get_by_label("Payload, as JSON")
        expect(payload).to_have_value(re.compile(r'"column": ""'))
        kind.select_option("Vote")
        expect(payload).not_to_have_value(re.compile('"column"'))
        # What somebody has written stays, until they ask for a sample.
        payload.fill('{"mine": 1}')
        kind.select_option("AddCard")
        expect(payload).to_have_value('{"mine": 1}')
        page.get_by_role("button", name="Sample payload").click()
        expect(payload).to_have_value(re.compile(r'"text": ""'))

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

    def test_a_long_rejection_is_shown_whole_and_makes_nothing_wider(self):
        page = self.look(viewport={"width": 390, "height": 800})
        page.get_by_role("tab", name="Action").click()
        panel = page.get_by_role("tabpanel", name="Action")
        self.offer_modules(page)
        for text in ["There is no such column. " * 40, "x" * 1000]:
            panel.evaluate(
                """async (panel, rejection) => {
                    const { ActionPane } = await import("/modules/devtools/views/ActionPane.js");
                    new ActionPane(panel, () => {}).show({
                        version: 1, user: "ada", participant: "p", seq: 1, time: 0, actions: [],
                        rejection,
                    });
                }""",
                text)
            expect(panel).to_contain_text(text.strip())
            width = panel.evaluate("panel => panel.scrollWidth - panel.clientWidth")
            self.assertEqual(width, 0)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)


class ClusterTest(DevtoolsTest):
    def test_a_server_by_itself_shows_no_cluster(self):
        page = self.look()
        expect(page.locator("#cluster")).to_be_hidden()

    def test_a_cluster_is_shown_with_its_servers_and_where_rooms_are(self):
        page = self.look()
        self.offer_modules(page)
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
        page.get_by_role("tab", name="Action").click()
        expect(page.get_by_role("tabpanel", name="Action")).to_contain_text('"Two"')
        page.get_by_role("button", name="Back to the room").click()
        expect(page.locator(".banner")).to_be_hidden()

    def import_the_past(self, text="Four"):
        """The page with the room's log of now, which the room has gone on from with a card."""
        page = self.look()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        self.server.dispatch("AddCard", {"column": "todo", "text": text})
        expect(self.row(page, text)).to_have_count(1)
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import").click()
        chooser.value.set_files(download.value.path())
        # At the log's end, and not the room's.
        expect(self.state(page)).to_contain_text('"Three"')
        expect(self.state(page)).not_to_contain_text(f'"{text}"')
        return page

    def test_an_imported_log_is_shown_with_its_states(self):
        page = self.import_the_past()
        version = self.version(page, "Two")
        self.row(page, "Two").click()
        expect(self.state(page)).to_contain_text(f"v{version}: this dispatch changed 2 places")
        expect(self.state(page)).not_to_contain_text('"Three"')
        page.keyboard.press("s")
        expect(self.state(page)).to_contain_text(f"had v{version} never happened")
        expect(self.state(page).locator("s", has_text='"Two"')).to_have_count(1)
        page.get_by_role("button", name="Back to the room").click()
        expect(self.state(page)).to_contain_text('"Four"')

    def test_an_imported_log_has_the_versions_that_the_room_had(self):
        page = self.look()
        page.get_by_role("tab", name="Dispatch").click()
        page.get_by_label("Type").select_option("AddCard")
        page.get_by_label("Payload, as JSON").fill('{"column": "nowhere", "text": "Lost"}')
        page.get_by_label("Payload, as JSON").press("Control+Enter")
        expect(self.row(page, "no such column")).to_have_class("rejected")
        page.get_by_role("tab", name="State").click()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Four"})
        version = self.version(page, "Four")
        page = self.import_the_past("Five")
        # The server has told what was rejected.
        expect(self.row(page, "no such column")).to_have_class(re.compile("rejected"))
        self.assertEqual(self.version(page, "Four"), version)
        self.row(page, "Four").click()
        expect(self.state(page).locator(".added", has_text='"Four"')).to_have_count(1)

    def test_an_imported_log_is_searched(self):
        page = self.import_the_past()
        version = self.version(page, "Two")
        self.row(page, "Two").click()
        count = self.state(page).locator(".leaf", has_text="count").first
        count.hover()
        count.get_by_role("button").click()
        found = page.get_by_role("tabpanel", name="Find")
        expect(found.locator(".answer")).to_contain_text(f"was changed last in v{version} by bob's")
        form = page.get_by_role("form", name="Since when is it so?")
        form.get_by_label("Value, as JSON").fill("0")
        form.get_by_label("Comparison").select_option(">")
        form.get_by_role("button", name="Find").click()
        version = self.version(page, "One")
        answer = f"is more than 0 since v{version} by ada's"
        expect(found.locator(".answer")).to_contain_text(answer)
        found.get_by_role("button", name=f"v{version}").click()
        expect(self.label(page)).to_contain_text(f"v{version} of")
        # What was found was the log's.
        page.get_by_role("button", name="Back to the room").click()
        expect(found.locator(".answer")).to_be_empty()

    def test_what_led_to_a_version_is_copied_as_a_test(self):
        page = self.look()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.row(page, "Two").click()
        version = self.version(page, "Two")
        page.get_by_role("button", name="Copy as test").click()
        expect(page.get_by_role("alert")).to_have_text(f"The test up to v{version} is copied.")
        code = page.evaluate("navigator.clipboard.readText()")
        self.assertIn("let room = TestRoom(Board.room)", code)
        self.assertIn('let bob1 = room.connect(as: Identity("bob"', code)
        self.assertIn('"text":"Two"', code)
        self.assertNotIn('"text":"Three"', code)

    def test_a_file_that_is_no_journal_is_refused_with_its_line(self):
        page = self.look()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import").click()
        chooser.value.set_files(
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Not a journal\n"})
        expect(page.get_by_role("alert")).to_have_text("Line 1: it isn't a JSON object.")


class FindTest(DevtoolsTest):
    def test_who_changed_a_place_is_found_from_the_state(self):
        page = self.look()
        # What it has changed is open in the tree.
        self.row(page, "Three").click()
        count = self.state(page).locator(".leaf", has_text="count").first
        count.hover()
        count.get_by_role("button").click()
        found = page.get_by_role("tabpanel", name="Find")
        version = self.version(page, "Three")
        expect(found.locator(".answer")).to_contain_text(f"was changed last in v{version}")
        expect(found.locator(".answer")).to_contain_text("by ada's AddCard")
        found.get_by_role("button", name=f"v{version}").click()
        expect(self.label(page)).to_contain_text(f"v{version} of")

    def test_the_first_version_is_found_at_which_something_is_so(self):
        page = self.look()
        self.row(page, "Three").click()
        place = self.place_of_the_count(page)
        page.get_by_role("tab", name="Find").click()
        form = page.get_by_role("form", name="Since when is it so?")
        form.get_by_label("Place").fill(place)
        form.get_by_label("Comparison").select_option(">")
        form.get_by_label("Value, as JSON").fill("1")
        form.get_by_role("button", name="Find").click()
        answer = page.locator(".answer")
        version = self.version(page, "Two")
        expect(answer).to_contain_text(f"{place} is more than 1 since v{version}")
        form.get_by_label("Value, as JSON").fill("99")
        form.get_by_role("button", name="Find").click()
        expect(answer).to_contain_text("at no version between v0 and")
        form.get_by_label("Value, as JSON").fill("ninety")
        form.get_by_role("button", name="Find").click()
        expect(page.get_by_role("alert").nth(1)).to_contain_text("isn't JSON")

    def place_of_the_count(self, page):
        button = self.state(page).locator("button[data-path$=count]").first
        return button.get_attribute("data-path")


class CostTest(DevtoolsTest):
    def test_what_dispatches_selections_and_turns_cost_is_shown(self):
        page = self.look()
        page.get_by_role("tab", name="Costs").click()
        costs = page.get_by_role("tabpanel", name="Costs")
        expect(costs).to_contain_text("No turn yet")
        self.join("carol")
        self.server.dispatch("AddCard", {"column": "todo", "text": "Four"})
        expect(costs.get_by_role("row", name="AddCard").first).to_be_visible()
        expect(costs.get_by_role("img", name="the longest of")).to_be_visible()
        expect(costs.locator(".strip rect.reduce")).not_to_have_count(0)
        expect(costs.get_by_role("row", name="column").first).to_be_visible()


class RoomTest(DevtoolsTest):
    def test_a_room_that_nobody_is_in_is_opened_by_its_name(self):
        self.server.kill()
        self.server.start()
        page = self.open(self.server.devtools)
        expect(page.locator("#status")).to_have_text("live")
        name = page.get_by_label("Name of a room")
        name.fill("/nowhere")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("alert").first).to_contain_text("no room")
        name.fill("/")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(self.row(page, "Three")).to_have_count(1)
        expect(self.state(page)).to_contain_text('"Three"')
        expect(page.get_by_role("alert").first).to_have_text("")


class KeyboardTest(DevtoolsTest):
    def test_the_slider_goes_the_way_of_the_log_and_no_key_is_dead_behind_it(self):
        page = self.look()
        slider = page.get_by_label("Version", exact=True)
        newest = self.version(page, "Three")
        slider.click()
        page.keyboard.press("End")
        expect(self.label(page)).to_contain_text(f"v{newest} of")
        for key, version in [
            ("ArrowUp", newest - 1), ("ArrowLeft", newest - 2), ("ArrowDown", newest - 1),
            ("ArrowRight", newest), ("PageUp", max(0, newest - 10)),
        ]:
            page.keyboard.press(key)
            expect(self.label(page)).to_contain_text(f"v{version} of")
        page.keyboard.press("End")
        expect(slider).to_be_focused()
        page.keyboard.press("s")
        expect(self.state(page)).to_contain_text(f"had v{newest} never happened")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        slider.focus()
        page.keyboard.press("/")
        expect(page.get_by_label("Filter the log")).to_be_focused()

    def test_everything_is_reached_with_the_keyboard_alone(self):
        page = self.look()
        page.keyboard.press("/")
        expect(page.get_by_label("Filter the log")).to_be_focused()
        # Pause, Older, and what is done with the log.
        for _ in range(6):
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
        expect(people).to_contain_text("s ago")
        board.add("To do", "Carol's")
        # What she knew when she did it.
        expect(people.get_by_role("row", name="carol")).to_contain_text(re.compile(r"v\d+"))
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
        expect(self.state(page)).to_contain_text(f"v{version}: this dispatch changed 2 places")
        page.get_by_role("button", name="Forward one version").click()
        expect(self.label(page)).to_contain_text(f"v{version + 1} of")

    def test_on_narrow_screens_nothing_lies_over_anything_else(self):
        for width in (920, 1024, 360):
            page = self.look(viewport={"width": width, "height": 700})
            log = page.locator("#log").bounding_box()
            for button in page.locator("#log .bar button").all():
                box = button.bounding_box()
                self.assertLessEqual(box["x"] + box["width"], log["x"] + log["width"], width)
            self.row(page, "Two").click()
            payload = self.row(page, "Two").locator("code")
            skip = self.row(page, "Two").get_by_role("button")
            end = payload.bounding_box()["x"] + payload.bounding_box()["width"]
            self.assertGreater(payload.bounding_box()["width"], 30)
            self.assertLessEqual(end, skip.bounding_box()["x"])
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width)

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
