"""A server behind proxies on the same machine, where everybody comes from this machine."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from playwright.sync_api import expect

from pages import BrowserTest
from programs import BUILD, DEADLINE, Server, wait_until
from proxies import HOST, Caddy, HAProxy, NaiveNginx, Nginx, PlainClient


class BehindProxyTest(BrowserTest):
    def document(self):
        folder = tempfile.TemporaryDirectory(prefix="storecast-logs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        return {
            "log": self.folder / "log",
            "options": [
                "--log-level", "notice", "--log-format", "json",
                "--audit-log", self.folder / "audit", *self.options()]}

    def options(self):
        return []

    def start(self, proxy_class, *arguments, server=None, **options):
        proxy = proxy_class(server or self.server, *arguments, **options)
        self.addCleanup(proxy.stop)
        return proxy

    def storecast(self, *arguments):
        return subprocess.run(
            [BUILD / "storecast", *arguments], capture_output=True, text=True, timeout=DEADLINE)

    def logged(self, words):
        """The one line of the stopped server's log with these words."""
        lines = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
        found = [line for line in lines if words in line["message"]]
        self.assertEqual(len(found), 1, lines)
        return found[0]


class DevtoolsTest(BehindProxyTest):
    def setUp(self):
        super().setUp()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Secret"}, "ada")
        self.token = self.server.devtools.partition("#token=")[2]

    def look(self, proxy, *options):
        """The first line of what is seen of the rooms, and the program's complaint."""
        program = subprocess.Popen(
            [BUILD / "storecast", "watch", proxy.url + "devtools", "rooms", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = program.stdout.readline()
            if line:
                return line, ""
            return line, program.communicate(timeout=DEADLINE)[1]
        finally:
            program.kill()
            program.communicate()

    def test_nobody_looks_into_the_rooms_without_the_token(self):
        proxy = self.start(NaiveNginx)
        line, complaint = self.look(proxy)
        self.assertEqual(line, "")
        self.assertIn("The devtools ask for their token.", complaint)
        line, complaint = self.look(proxy, "--as", "storecast.devtools")
        self.assertEqual(line, "")
        self.assertIn("This isn't the token of the devtools.", complaint)

    def test_with_the_token_one_does(self):
        line, _ = self.look(self.start(NaiveNginx), "--as", self.token)
        self.assertTrue(line)

    def test_nobody_dispatches_without_the_token(self):
        action = json.dumps({
            "ticket": "1", "room": "/", "type": "AddCard",
            "payload": {"column": "todo", "text": "Smuggled"}})
        url = self.start(NaiveNginx).url + "devtools"
        refused = self.storecast("dispatch", url, "dispatch", action)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("The devtools ask for their token.", refused.stderr)
        self.assertEqual(self.server.cards("todo")[-1], "Secret")
        taken = self.storecast("dispatch", url, "dispatch", action, "--as", self.token)
        self.assertEqual(taken.returncode, 0, taken.stderr)
        wait_until(
            lambda: self.server.cards("todo")[-1] == "Smuggled",
            "what was dispatched with the token is there")

    def test_the_token_is_in_no_log(self):
        proxy = self.start(NaiveNginx)
        self.server.page = proxy.page
        page = self.open(self.server.devtools)
        expect(page.locator("#status")).to_have_text("live")
        wait_until(lambda: "GET /devtools/main." in proxy.log(), "nginx has logged the page")
        self.assertNotIn(self.token, proxy.log())


class NaiveRecipeTest(BehindProxyTest):
    """What somebody meets who hasn't read Docs/Proxies.md, and what the log says to do."""

    def status(self, proxy, **headers):
        request = urllib.request.Request(proxy.page, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return refusal.code

    def test_a_page_is_of_another_site_than_the_one_that_the_proxy_asks_for(self):
        address = self.server.page.split("/")[2]
        proxy = self.start(NaiveNginx)
        self.assertEqual(self.status(proxy), 200)
        for _ in range(2):
            with PlainClient(proxy, f"Origin: http://{HOST}") as client:
                self.assertEqual(client.status, 403)
        self.server.stop()
        line = self.logged("a page of another site was refused")
        for remedy in ["--allow-origin", "--trusted-proxy", "Docs/Proxies.md"]:
            self.assertIn(remedy, line["message"])
        self.assertEqual(
            [line["origin"], line["host"], line["address"]],
            [f"http://{HOST}", address, "127.0.0.1"])

    def test_a_name_that_was_bent_to_this_machine_is_not_taken(self):
        proxy = self.start(NaiveNginx, "proxy_set_header Host evil.test;")
        self.assertEqual(self.status(proxy), 421)
        self.assertEqual(self.status(proxy, Origin="http://evil.test"), 421)
        refused = self.storecast("dispatch", proxy.url, "Say", '{"text":"Hello"}')
        self.assertNotEqual(refused.returncode, 0)
        self.server.stop()
        line = self.logged("a request for another host was refused")
        self.assertIn("--allow-host", line["message"])
        self.assertEqual([line["host"], line["address"]], ["evil.test", "127.0.0.1"])


class NamedServerTest(BehindProxyTest):
    def options(self):
        return ["--allow-host", "board.example.org"]

    def test_a_name_that_the_operator_allows_is_taken(self):
        proxy = self.start(NaiveNginx, "proxy_set_header Host board.example.org;")
        with urllib.request.urlopen(proxy.page, timeout=DEADLINE) as answer:
            self.assertEqual(answer.status, 200)
        taken = self.storecast("dispatch", proxy.url, "Say", '{"text":"Hello"}')
        self.assertEqual(taken.returncode, 0, taken.stderr)


class AsThePageHasIt:
    """A proxy as Docs/Proxies.md configures it, and the server as it says there."""

    # More than what takes a while after a connection fell silent, so that it counts.
    pings = 8

    def options(self):
        return ["--trusted-proxy", "127.0.0.1", "--allow-host", HOST]

    def test_people_share_a_board(self):
        self.server.page = self.start(self.proxy).page
        board = self.join("Ada", ignore_https_errors=True)
        self.server.dispatch("AddCard", {"column": "todo", "text": "From elsewhere"})
        board.card("From elsewhere").wait_for()
        board.drag("From elsewhere", "Done")
        wait_until(
            lambda: "From elsewhere" in self.server.cards("done"), "the server has what was done")

    def test_a_page_of_the_site_connects_and_of_another_one_does_not(self):
        proxy = self.start(self.proxy)
        for origin, status in [(HOST, 101), (f"{HOST}:{proxy.port}", 101), ("evil.test", 403)]:
            with PlainClient(proxy, f"Origin: https://{origin}") as client:
                self.assertEqual(client.status, status, origin)
        # What a client says itself is overwritten, or not believed.
        with PlainClient(
                proxy, "Origin: https://evil.test", "X-Forwarded-Host: evil.test",
                "Forwarded: host=evil.test") as client:
            self.assertEqual(client.status, 403)
        self.server.stop()
        line = self.logged("a page of another site was refused")
        self.assertEqual(
            [line["origin"], line["host"], line["address"]],
            ["https://evil.test", HOST, PlainClient.address])

    def test_a_client_has_its_own_address(self):
        proxy = self.start(self.proxy)
        with PlainClient(
                proxy, "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1") as client:
            self.assertEqual(client.status, 101)
            client.join()
        self.server.stop()
        lines = [json.loads(line) for line in (self.folder / "audit").read_text().splitlines()]
        addresses = [line["address"] for line in lines if line["event"] == "entry"]
        self.assertEqual(addresses, [PlainClient.address])

    def test_pings_keep_a_connection_on_which_nothing_else_moves(self):
        server = self.other_server("ping-interval=500ms")
        with PlainClient(self.start(self.proxy, server=server, changes=self.hasty())) as client:
            client.join()
            for _ in range(self.pings):
                client.answer_ping()
            client.send(b'{"op":"ping"}')
            while b'"pong"' not in client.receive()[1]:
                pass

    def test_without_pings_the_proxy_ends_it(self):
        if not self.proxy.idle:
            self.skipTest("It cuts no WebSocket because nothing moves.")
        server = self.other_server("ping-interval=1h")
        with PlainClient(self.start(self.proxy, server=server, changes=self.hasty())) as client:
            client.join()
            client.wait_for_end()

    def hasty(self):
        """Less than the pings take together."""
        return {self.proxy.idle: "2s"} if self.proxy.idle else {}

    def other_server(self, limit):
        server = Server(options=[*self.options(), "--limit", limit, "--limit", "silence=2h"])
        self.addCleanup(server.stop)
        return server


class NginxTest(AsThePageHasIt, BehindProxyTest):
    proxy = Nginx

    def test_two_kinds_of_fields_that_name_different_clients_are_refused(self):
        proxy = self.start(Nginx, changes={'proxy_set_header Forwarded "";': ""})
        with PlainClient(proxy, "Forwarded: for=192.0.2.1") as client:
            self.assertEqual(client.status, 400)

    def test_without_the_upgrade_a_page_comes_and_no_connection(self):
        proxy = self.start(Nginx, changes={"proxy_set_header Upgrade $http_upgrade;": ""})
        with PlainClient(proxy) as client:
            self.assertEqual(client.status, 200)


class CaddyTest(AsThePageHasIt, BehindProxyTest):
    proxy = Caddy


class HAProxyTest(AsThePageHasIt, BehindProxyTest):
    proxy = HAProxy


if __name__ == "__main__":
    unittest.main()
