"""Debian's Firefox without a screen, driven by Marionette."""

import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

from marionette_driver.errors import JavascriptException
from marionette_driver.marionette import Marionette

from programs import DEADLINE

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = "firefox-esr"

PREFERENCES = {
    # A free one, of which Firefox tells.
    "marionette.port": 0,
    "network.disable-localhost-when-offline": True,
    # It is offline when a test says so, whatever becomes of the machine's network.
    "network.manage-offline-status": False,
    # After failures it holds sockets back for up to a minute, whenever the page asks for them.
    "network.websocket.delay-failed-reconnects": False,
    "ui.prefersReducedMotion": 1,
    # It does nothing by itself beside the tests.
    "app.normandy.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
}

# What expressions about a page are made of.
WORDS = """
const all = (css, within = document) => [...(within?.querySelectorAll(css) ?? [])];
const texts = (css, within) => all(css, within).map((one) => one.textContent);
const seen = (css) => all(css).find((one) => one.checkVisibility());
const button = (text, within) => all("button", within).find((one) =>
  one.checkVisibility() && (one.getAttribute("aria-label") ?? one.textContent) === text);
const column = (title) =>
  all(".column").find((one) => one.querySelector("h2")?.textContent === title);
const card = (text) =>
  all(".card:not(.ghost)").find((one) => one.querySelector("p").textContent === text);
"""


class Firefox:
    """A process with a profile of its own."""

    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(prefix="storecast-firefox-")
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                 for name, value in PREFERENCES.items())
        pathlib.Path(self._profile.name, "user.js").write_text("".join(lines))
        self._process = subprocess.Popen(
            [COMMAND, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
             "--profile", self._profile.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "MOZ_CRASHREPORTER_DISABLE": "1"})
        try:
            self.marionette = Marionette(port=self._hear_port())
            self.marionette.start_session()
        except BaseException:
            self.stop()
            raise
        self.marionette.timeout.script = 3 * DEADLINE

    def _hear_port(self):
        late = threading.Timer(3 * DEADLINE, self._process.kill)
        late.start()
        heard = []
        for line in self._process.stdout:
            heard.append(line)
            if found := re.search(r"Marionette\s+INFO\s+Listening on port (\d+)", line):
                late.cancel()
                # It may go on speaking, and would stop where nobody listens.
                threading.Thread(target=self._drain, daemon=True).start()
                return int(found[1])
        late.cancel()
        raise AssertionError(f"Firefox ended: {''.join(heard)}")

    def _drain(self):
        with self._process.stdout as output:
            for _ in output:
                pass

    def stop(self):
        self._process.terminate()
        self._process.wait(3 * DEADLINE)
        self._profile.cleanup()

    def open(self, url, private=False):
        """A window with a page; all private ones have a profile, too, that is forgotten."""
        opened = self.marionette.open(type="window", private=private)
        tab = Tab(self.marionette, opened["handle"])
        tab.go(url)
        return tab

    def _run(self, script, *arguments):
        """Runs a script of the browser's own."""
        with self.marionette.using_context("chrome"):
            return self.marionette.execute_script(script, script_args=arguments)

    def set_offline(self, is_so):
        self._run("Services.io.offline = arguments[0];", is_so)

    def take_problems(self, origin):
        """The errors of a server's pages, and what pages were refused, since it was last asked."""
        # Firefox itself says that a server is away; whether the page copes is tested.
        return self._run(r"""
            const known = Services.console.getMessageArray().filter((message) =>
              message instanceof Ci.nsIScriptError
              && !(message.flags & Ci.nsIScriptError.warningFlag)
              && (message.category.startsWith("CSP_")
                || (message.sourceName ?? "").startsWith(arguments[0])));
            Services.console.reset();
            const outage = /can.t establish a connection|connection to .* was interrupted/;
            return known.map(({ category, errorMessage }) => `${category}: ${errorMessage}`)
              .filter((text) => !outage.test(text));
        """, origin)


class Tab:
    """A page as a person sees it."""

    def __init__(self, marionette, handle):
        self._marionette = marionette
        self._handle = handle

    def _turn_to(self):
        # Without the focus some of what a page does waits.
        if self._marionette.current_window_handle != self._handle:
            self._marionette.switch_to_window(self._handle, focus=True)

    def go(self, url):
        self._marionette.switch_to_window(self._handle, focus=True)
        self._marionette.navigate(url)

    def reload(self):
        # Marionette's own reload passes service workers by, other than people's.
        self.read("(document.documentElement.dataset.isOld = '', void location.reload())")
        # The new page may not even have its root yet.
        self.sees("document.documentElement?.dataset.isOld === undefined"
                  " && document.documentElement !== null", True)

    def close(self):
        self._marionette.switch_to_window(self._handle, focus=False)
        left = [handle for handle in self._marionette.window_handles if handle != self._handle]
        self._marionette.close()
        self._marionette.switch_to_window(left[0], focus=False)

    def read(self, expression, *arguments):
        self._turn_to()
        return self._marionette.execute_script(
            f"{WORDS} return {expression};", script_args=arguments)

    def promised(self, expression):
        """What a promise of the page's own is fulfilled with."""
        self._turn_to()
        return self._marionette.execute_async_script(
            f"const done = arguments[0]; ({expression}).then((value) => done({{ value }}),"
            " (error) => done({ error: String(error) }));", sandbox=None)

    def sees(self, expression, expected, *arguments):
        """Waits until an expression is so in the page, whatever page it has by then."""
        self._turn_to()
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                result = self._marionette.execute_async_script(f"""
                    {WORDS}
                    const [expected, end, ...more] = arguments;
                    const done = more.pop();
                    const read = (...arguments) => ({expression});
                    const check = () => {{
                      const value = read(...more) ?? null;
                      const isSo = JSON.stringify(value) === expected;
                      if (!isSo && Date.now() < end) return;
                      clearInterval(timer);
                      done([isSo, value]);
                    }};
                    const timer = setInterval(check, 20);
                    check();
                """, script_args=(
                    json.dumps(expected, ensure_ascii=False, separators=(",", ":")),
                    (time.time() + end - time.monotonic()) * 1000, *arguments))
            except JavascriptException as error:
                if "unloaded" not in str(error):
                    raise
                continue
            # Firefox may also say nothing of a page that went meanwhile.
            if result is None:
                continue
            is_so, value = result
            if is_so:
                return
            raise AssertionError(f"{expression} is {value}, not {expected}")
        raise AssertionError(f"{expression} is not {expected}: pages come and go")

    def element(self, expression, *arguments):
        self.sees(f"Boolean({expression})", True, *arguments)
        return self.read(expression, *arguments)

    def click(self, expression, *arguments):
        self.element(expression, *arguments).click()

    def type(self, text):
        """Presses keys, in whatever has the focus."""
        self._turn_to()
        self._marionette.actions.sequence("key", "keyboard").send_keys(text).perform()

    def press(self, key, holding=None):
        self._turn_to()
        keys = self._marionette.actions.sequence("key", "keyboard")
        if holding:
            keys.key_down(holding)
        keys.key_down(key).key_up(key)
        if holding:
            keys.key_up(holding)
        keys.perform()

    def drag(self, start, end):
        self._turn_to()
        mouse = self._marionette.actions.sequence("pointer", "mouse", {"pointerType": "mouse"})
        (mouse.pointer_move(*start).pointer_down()
         .pointer_move(start[0] + 15, start[1] + 15, duration=50)
         .pointer_move(*end, duration=100).pointer_up().perform())


class Files(http.server.SimpleHTTPRequestHandler):
    """The repository's files; folders are lists of names."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=ROOT)

    def list_directory(self, path):
        text = json.dumps(sorted(os.listdir(path))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class FileServer:
    def __init__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
