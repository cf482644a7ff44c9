"""The JavaScript client's own tests, in a page of Firefox: its engine runs what Node.js runs."""

import json
import re
import subprocess
import unittest
import urllib.parse

from firefox import ROOT, FileServer, Firefox
from programs import Server

SUITE = ROOT / "Tests/WebTests"
PAGE = "Tests/BrowserTests/node/suite.html"
# What Tests/BrowserTests/node has.
STANDINS = {"node:assert/strict", "node:child_process", "node:crypto", "node:fs", "node:test",
            "node:url", "./support/Server.js", "./Server.js"}

# All of their tests need a server of their own, or stand in for the whole page.
OTHERS = {"documentation.test.js", "server.test.js", "worker.test.js"}

# What has no place in a page; Node.js runs it. The page of the board has a real server beside it.
STANDS_IN = "stands in for a page, or for one that lacks something"
NO_PROGRAMS = "a page runs no programs"
SKIPPED = {
    "connection.test.js": {"a connection › needs a URL and a WebSocket": STANDS_IN},
    "lifecycles.test.js": {
        "a standard platform › hears of the network, and of a page that is shown or hidden,"
        " until it needn't": STANDS_IN,
        "a page's own URL › is what a path is completed with": STANDS_IN,
    },
    "outboxes.test.js": {
        "an outbox in localStorage › is in memory where there are no locks,"
        " and that is no secret": STANDS_IN,
    },
    "rows.test.js": {"with a real server": NO_PROGRAMS},
    "stamps.test.js": {
        "a stamp's id › is made of the digest that NIST defines": "a page has no digests at once",
        "a stamp's id › is the one that the server gives": NO_PROGRAMS,
    },
    "tabs.test.js": {
        "tabs that share a connection › have a connection of their own where tabs have no locks":
        STANDS_IN,
    },
    "texts.test.js": {"a shared text › is held to what the model writes": NO_PROGRAMS},
}


def imported(file):
    text = file.read_text()
    return set(re.findall(r'^(?:import|\}) .*?"([^"]+)";$', text, re.MULTILINE))


def needs(file, client, others):
    """Collects what a test imports, and its support: the client's modules, and others by name."""
    for name in imported(file):
        path = (file.parent / name).resolve()
        if name in STANDINS or not name.startswith("."):
            others.add(name)
        elif "support" in path.parts:
            needs(path, client, others)
        else:
            client.add(path)


def runs_in_a_page(file):
    if file.name in OTHERS:
        return False
    client, others = set(), set()
    needs(file, client, others)
    return bool(client) and others <= STANDINS


class SuiteTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.files = FileServer()
        cls.addClassCleanup(cls.files.stop)
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.stop)
        cls.tab = cls.firefox.open("about:blank")

    def run_file(self, path, without={}):
        """What became of each test of a file."""
        settings = {"file": f"/{path.relative_to(ROOT)}", "without": without,
                    "environment": {"TEST_SEEDS": "10"}}
        fragment = urllib.parse.quote(json.dumps(settings))
        # With the same path the page would stay.
        self.tab.go(f"{self.files.url}{PAGE}?{path.name}#{fragment}")
        return self.tab.promised("globalThis.report")["value"]

    def test_the_client_s_tests_pass(self):
        files = sorted(file for file in SUITE.glob("*.test.js") if runs_in_a_page(file))
        self.assertLessEqual(set(SKIPPED), {file.name for file in files})
        count = 0
        for file in files:
            with self.subTest(file.name):
                expected = SKIPPED.get(file.name, {})
                without = {name: why for name, why in expected.items() if why == STANDS_IN}
                results = self.run_file(file, without)
                problems = [f"{each['name']}: {each['problem']}"
                            for each in results if "problem" in each]
                self.assertEqual(problems, [])
                skipped = {each["name"]: each["skipped"] for each in results if "skipped" in each}
                self.assertEqual(skipped, expected)
                self.assertGreater(len(results), len(skipped), "no test ran")
                count += len(results) - len(skipped)
        print(f"\n{count} tests of {len(files)} files ran in Firefox: "
              f"{' '.join(file.name.removesuffix('.test.js') for file in files)}")

    def test_a_page_judges_as_node_does(self):
        samples = ROOT / "Tests/BrowserTests/node/samples.test.js"
        passed = {each["name"].split(" › ")[-1]: "problem" not in each
                  for each in self.run_file(samples)}
        node = subprocess.run(["node", "--test", "--test-reporter=tap", samples],
                              text=True, capture_output=True).stdout
        lines = re.findall(r"^ *(not )?ok \d+ - (.*(?:passes|fails))$", node, re.MULTILINE)
        self.assertEqual(passed, {name: not is_not for is_not, name in lines})
        self.assertEqual(passed, {name: name.endswith("passes") for name in passed})
        self.assertGreater(len(passed), 50)

    def test_a_file_that_cannot_be_loaded_is_a_problem(self):
        results = self.run_file(SUITE / "missing.test.js")
        self.assertEqual([each["name"] for each in results if "problem" in each], ["the file"])


# A page whose `connection`, `tea` and `until` are its window's.
TEA = """import("/Clients/Web/storecast/index.js").then((storecast) => {
    const { connect, indexedDBCache: cache, indexedDBOutbox: outbox } = storecast;
    const viewer = "%s";
    const connection = window.connection = connect("%s", {
        outbox: outbox(viewer), cache: { storage: cache(), viewer }, tabs: %s });
    window.tea = connection.select("value", { path: "/tea" });
    window.until = (isSo) => new Promise((done) => {
        const check = () => isSo() && done(true);
        connection.subscribe(check);
        tea.subscribe(check);
        check();
    });
    return until(() => tea.getState() !== undefined);
})"""
ONE_MORE = """until(() => tea.isLive)
    .then(() => connection.saveCache())
    .then(() => connection.dispatch({ type: "increment", payload: { path: "/tea", by: 1 } }))
    .then(() => true)"""


class ReloadTests(unittest.TestCase):
    def test_what_was_acknowledged_is_there_when_the_page_is_loaded_again(self):
        files = FileServer()
        self.addCleanup(files.stop)
        firefox = Firefox()
        self.addCleanup(firefox.stop)
        tab = firefox.open(f"{files.url}Tests/BrowserTests/requirements.txt")
        for tabs in ["false", "true"]:
            server = Server(document={"tea": 0})
            self.addCleanup(server.stop)
            script = TEA % (server.url, server.url, tabs)
            self.assertEqual(tab.promised(script), {"value": True})
            self.assertEqual(tab.promised(ONE_MORE), {"value": True})
            server.kill()
            tab.reload()
            self.assertEqual(tab.promised(script), {"value": True})
            shown = tab.promised("Promise.resolve([tea.getState(), tea.isLive])")
            self.assertEqual(shown, {"value": [1, False]})


if __name__ == "__main__":
    unittest.main()
