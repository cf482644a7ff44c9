"""A server behind nginx on the same machine, where everybody comes from this machine."""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from playwright.sync_api import expect

from pages import BrowserTest
from programs import BUILD, DEADLINE, wait_until

CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.2:{port};
    location / {{
      proxy_pass {server};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      {more}
    }}
  }}
}}
"""


class Proxy:
    """nginx in front of a server; it adds no header that it isn't told to add."""

    def __init__(self, server, more=""):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="storecast-nginx-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        file = self._folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(
            folder=self._folder, port=self.port, server=server.page.rstrip("/"), more=more))
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
        self._process = subprocess.Popen(
            [program, "-c", file, "-p", self._folder, "-e", self._folder / "error.log"])
        self.page = f"http://127.0.0.1:{self.port}/"
        self.url = f"ws://127.0.0.1:{self.port}/"
        wait_until(self._answers, "nginx listens")

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except ConnectionRefusedError:
            return False

    def log(self):
        return (self._folder / "access.log").read_text()

    def stop(self):
        self._process.terminate()
        self._process.wait(DEADLINE)
        shutil.rmtree(self._folder)


class BehindProxyTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.server.dispatch("AddCard", {"column": "todo", "text": "Secret"}, "ada")
        self.token = self.server.devtools.partition("#token=")[2]

    def proxy(self, more=""):
        proxy = Proxy(self.server, more)
        self.addCleanup(proxy.stop)
        return proxy

    def storecast(self, *arguments):
        return subprocess.run(
            [BUILD / "storecast", *arguments], capture_output=True, text=True, timeout=DEADLINE)

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


class ProxyTest(BehindProxyTest):
    def test_nobody_looks_into_the_rooms_without_the_token(self):
        proxy = self.proxy()
        line, complaint = self.look(proxy)
        self.assertEqual(line, "")
        self.assertIn("The devtools ask for their token.", complaint)
        line, complaint = self.look(proxy, "--as", "storecast.devtools")
        self.assertEqual(line, "")
        self.assertIn("This isn't the token of the devtools.", complaint)

    def test_with_the_token_one_does(self):
        line, _ = self.look(self.proxy(), "--as", self.token)
        self.assertTrue(line)

    def test_nobody_dispatches_without_the_token(self):
        action = json.dumps({
            "ticket": "1", "room": "/", "type": "AddCard",
            "payload": {"column": "todo", "text": "Smuggled"}})
        url = self.proxy().url + "devtools"
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
        proxy = self.proxy()
        self.server.page = proxy.page
        page = self.open(self.server.devtools)
        expect(page.locator("#status")).to_have_text("live")
        wait_until(lambda: "GET /devtools/main.js" in proxy.log(), "nginx has logged the page")
        self.assertNotIn(self.token, proxy.log())

    def test_a_name_that_was_bent_to_this_machine_is_not_taken(self):
        proxy = self.proxy("proxy_set_header Host evil.test;")
        for headers in [{}, {"Origin": "http://evil.test"}]:
            request = urllib.request.Request(proxy.page, headers=headers)
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(request, timeout=DEADLINE)
            self.assertEqual(refusal.exception.code, 421)
            refusal.exception.close()
        refused = self.storecast("dispatch", proxy.url, "Say", '{"text":"Hello"}')
        self.assertNotEqual(refused.returncode, 0)


class NamedServerTest(BehindProxyTest):
    def document(self):
        return {"options": ["--allow-host", "board.example.org"]}

    def test_a_name_that_the_operator_allows_is_taken(self):
        proxy = self.proxy("proxy_set_header Host board.example.org;")
        with urllib.request.urlopen(proxy.page, timeout=DEADLINE) as answer:
            self.assertEqual(answer.status, 200)
        taken = self.storecast("dispatch", proxy.url, "Say", '{"text":"Hello"}')
        self.assertEqual(taken.returncode, 0, taken.stderr)


class TrustedProxyTest(BehindProxyTest):
    """A proxy that is believed, as Docs/Operations.md has it, with clients at addresses of their own."""

    forwarding = """
      proxy_set_header Forwarded "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
    """

    def document(self):
        return {"options": ["--trusted-proxy", "127.0.0.1", "--allow-host", "board.example"]}

    def request(self, proxy, *lines):
        """The status with which a request for a WebSocket is answered."""
        with socket.create_connection(("127.0.0.2", proxy.port), DEADLINE, ("127.0.0.3", 0)) as line:
            line.sendall("\r\n".join([
                "GET / HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                *lines, "", ""]).encode())
            return int(line.recv(64).split()[1])

    def test_a_page_is_of_the_host_that_the_client_asked_for(self):
        proxy = self.proxy(self.forwarding)
        host, own = "Host: board.example", "Origin: http://board.example"
        self.assertEqual(self.request(proxy, host, own), 101)
        self.assertEqual(self.request(proxy, host, "Origin: http://evil.test"), 403)
        # What a client says itself is overwritten, or not believed.
        forged = "X-Forwarded-Host: evil.test"
        self.assertEqual(self.request(proxy, host, "Origin: http://evil.test", forged), 403)
        self.assertEqual(self.request(proxy, host, own, "Forwarded: for=192.0.2.1"), 101)

    def test_two_kinds_of_fields_that_name_different_clients_are_refused(self):
        proxy = self.proxy(self.forwarding.replace('proxy_set_header Forwarded "";', ""))
        forged = "Forwarded: for=192.0.2.1"
        self.assertEqual(self.request(proxy, "Host: board.example", forged), 400)

    def test_a_client_has_its_own_address(self):
        proxy = self.proxy(self.forwarding)
        with socket.create_connection(("127.0.0.2", proxy.port), DEADLINE, ("127.0.0.3", 0)) as line:
            hello = b'{"op":"hello","proto":1,"client":"0123456789abcdef"}'
            line.sendall("\r\n".join([
                "GET / HTTP/1.1", "Host: board.example", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                "X-Forwarded-For: 192.0.2.1", "", ""]).encode()
                + bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
            wait_until(
                lambda: "127.0.0.3" in self.addresses(), "the devtools show the client's address")
            self.assertNotIn("192.0.2.1", self.addresses())

    def addresses(self):
        program = subprocess.Popen(
            [BUILD / "storecast", "watch", self.server.url + "devtools", "room",
             '{"room": "/"}', "--as", self.token], stdout=subprocess.PIPE, text=True)
        try:
            return program.stdout.readline()
        finally:
            program.kill()
            program.communicate()


if __name__ == "__main__":
    unittest.main()
