"""The server and the clients of this repository, as programs that tests run."""

import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

import pyte

# With TEST_CONFIGURATION=release what people run is tested, and how quick that is.
BUILD = (pathlib.Path(__file__).resolve().parents[2] / ".build"
         / os.environ.get("TEST_CONFIGURATION", "debug"))
DEADLINE = 20


def wait_until(is_so, what):
    """Returns when `is_so` is true; it has to wait by itself for what it looks at."""
    end = time.monotonic() + DEADLINE
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"It did not come to be: {what}")


class Server:
    """`storecast serve` on a port of its own; it can be killed and started again."""

    def __init__(self, document=None, options=(), log=os.devnull):
        self._log = log
        self._folder = tempfile.TemporaryDirectory(prefix="storecast-")
        self._port = "0"
        self._more = [*options]
        if document is not None:
            file = pathlib.Path(self._folder.name, "document.json")
            file.write_text(json.dumps(document))
            self._more += ["--json", str(file)]
        self.start()

    def start(self):
        data = os.path.join(self._folder.name, "room.sqlite")
        options = ["--port", self._port, "--data", data, "--log-level", "error", "--devtools"]
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [BUILD / "storecast", "serve", *options, *self._more],
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.url = self._process.stdout.readline().split()[-1]
        self.page = self._process.stdout.readline().split()[-1]
        # With the token in its fragment, unless the server was told which to take.
        self.devtools = self._process.stdout.readline().split()[-1].removeprefix(self.page)
        self._port = self.url.rstrip("/").rsplit(":")[-1]

    def kill(self):
        self._end(signal.SIGKILL)

    def stop(self):
        self._end(signal.SIGTERM)
        self._folder.cleanup()

    def _end(self, with_signal):
        self._process.send_signal(with_signal)
        self._process.wait(DEADLINE)
        self._process.stdout.close()

    def dispatch(self, kind, payload, name="swift"):
        """Dispatches an action with the Swift client, and waits for its outcome."""
        subprocess.run(
            [BUILD / "storecast", "dispatch", self.url, kind, json.dumps(payload), "--as", name],
            check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)

    def dispatch_all(self, kind, payloads):
        lines = (json.dumps({"type": kind, "payload": payload}) for payload in payloads)
        subprocess.run(
            [BUILD / "storecast", "dispatch", self.url], input="\n".join(lines), text=True,
            check=True, timeout=120, stdout=subprocess.DEVNULL)

    def fill(self, column, count):
        """Adds cards whose texts are numbers from 0."""
        numbers = range(count)
        self.dispatch_all("AddCard", ({"column": column, "text": str(each)} for each in numbers))

    def cards(self, column):
        """What the Swift client sees: the texts of a column's cards."""
        with Watch(self.url, column) as watch:
            return watch.next()


class Watch:
    """The Swift client's mirror of a column: the texts of its cards, each time they change."""

    def __init__(self, url, column):
        self._process = subprocess.Popen(
            [BUILD / "storecast", "watch", url, "column", json.dumps({"column": column})],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait(DEADLINE)
        self._process.stdout.close()

    def next(self):
        return [card["text"] for card in json.loads(self._process.stdout.readline())["rows"]]

    def wait_for(self, texts):
        wait_until(lambda: self.next() == texts, f"the Swift client sees {texts}")


class Terminal:
    """`storecast-board` in a terminal of 120 columns and 30 lines."""

    def __init__(self, url, name):
        self._screen = pyte.Screen(120, 30)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        self._process = subprocess.Popen(
            [BUILD / "storecast-board", url, "--as", name],
            stdin=end, stdout=end, stderr=end, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"})
        os.close(end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait(DEADLINE)
        os.close(self._terminal)

    def press(self, keys):
        os.write(self._terminal, keys.encode())

    def _read(self):
        readable, _, _ = select.select([self._terminal], [], [], 0.1)
        if readable:
            self._stream.feed(os.read(self._terminal, 65536))

    def _is_under(self, text, title, next_title):
        lines = self._screen.display
        heads = [line for line in lines if title in line and next_title in line]
        if not heads:
            return False
        columns = range(heads[0].index(title), heads[0].index(next_title))
        return any(line.find(text) in columns for line in lines)

    def wait_for(self, text, title, next_title, is_there=True):
        """Waits until a text is between the column with a title and the one behind it, or not."""

        def sees():
            self._read()
            return self._is_under(text, title, next_title) == is_there

        has = "has" if is_there else "hasn't"
        wait_until(sees, f"the terminal {has} '{text}' under '{title}'")
