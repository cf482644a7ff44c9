"""How a page comes to people: what they wait for the first time, and the next."""

import unittest

from playwright.sync_api import expect

from pages import BrowserTest

# Notes when the page first says that it is live.
WATCH = """
    new MutationObserver((_, observer) => {
        if (document.getElementById("status")?.textContent !== "Live") return;
        globalThis.liveAfter = performance.now();
        observer.disconnect();
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""


class LoadingTest(BrowserTest):
    def load(self, path=""):
        """What a browser that has never been here asks for, and how long it takes."""
        context = self.chromium.new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        requests, sockets = [], []
        page.on("request", lambda request: requests.append(request))
        page.on("websocket", lambda socket: sockets.append(socket))
        page.add_init_script(WATCH)
        page.goto(self.server.page + path)
        expect(page.locator("#status")).to_have_text("Live")
        sizes = [request.sizes() for request in requests]
        size = sum(each["responseHeadersSize"] + each["responseBodySize"] for each in sizes)
        return page, len(requests) + len(sockets), size, page.evaluate("liveAfter")

    def test_the_board_s_first_load_is_at_most_eight_requests_and_120_KB(self):
        for path in ["", "b/team"]:
            _, requests, size, live = self.load(path)
            print(f"\n{requests} requests, {size} bytes, live after {live:.0f} ms")
            self.assertLessEqual(requests, 8)
            self.assertLessEqual(size, 120_000)

    def test_the_next_load_asks_for_the_page_and_its_worker_alone(self):
        page, *_ = self.load()
        context = page.context
        again = context.new_page()
        sent = []
        again.on("response", lambda response: sent.append(response))
        again.goto(self.server.page)
        expect(again.locator("#status")).to_have_text("Live")
        bodies = [response.url for response in sent
                  if response.request.sizes()["responseBodySize"] > 0
                  and not response.from_service_worker]
        self.assertLessEqual(set(bodies), {self.server.page + "service-worker.js"})


if __name__ == "__main__":
    unittest.main()
