"""The proxies of Docs/Proxies.md, as programs that tests run, and a client that says what it likes."""

import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile

from programs import DEADLINE, wait_until

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Docs/Proxies.md"
HOST = "board.example"


def example(language):
    """The configuration that the page has in a language."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 1, f"{PAGE} has {len(blocks)} blocks of {language}."
    return blocks[0]


def replace(text, changes):
    """The text with what tests can't have as the page has it."""
    for old, new in changes.items():
        assert old in text, f"The configuration has no '{old}':\n{text}"
        text = text.replace(old, new)
    return text


class Proxy:
    """A proxy in front of a server, on a free port, with a certificate that it trusts itself."""

    def __init__(self, server, text=None, changes=None, host=HOST):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="storecast-proxy-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if text is None:
            self.certificate = self._make_certificate()
            text = replace(example(self.language), {**self.changes(), **(changes or {})})
            text = text.replace("/etc/ssl/board", str(self.folder))
        else:
            self.certificate = None
        text = text.replace("127.0.0.1:9090", server.page.split("/")[2])
        self.page = f"http{'s' if self.certificate else ''}://{host}:{self.port}/"
        self.url = self.page.replace("http", "ws", 1)
        with open(self.folder / "output", "wb") as output:
            self._process = subprocess.Popen(
                self.command(text), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder),
                     "XDG_CONFIG_HOME": str(self.folder)})
        wait_until(self._answers, f"{self.language} listens")

    def _make_certificate(self):
        file = self.folder / "fullchain.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", f"/CN={HOST}", "-addext",
             f"subjectAltName=DNS:{HOST}", "-keyout", self.folder / "privkey.pem", "-out", file],
            check=True, timeout=DEADLINE, capture_output=True)
        (self.folder / "both.pem").write_text(
            file.read_text() + (self.folder / "privkey.pem").read_text())
        return file

    def _answers(self):
        if self._process.poll() is not None:
            raise AssertionError((self.folder / "output").read_text())
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except ConnectionRefusedError:
            return False

    def stop(self):
        self._process.terminate()
        self._process.wait(DEADLINE)
        shutil.rmtree(self.folder)

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    @staticmethod
    def program(name):
        path = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
        assert path, f"There is no {name}: apt-get install nginx-light haproxy caddy"
        return path


class Nginx(Proxy):
    language = "nginx"
    idle = "60s"

    def changes(self):
        return {"listen 443": f"listen 127.0.0.1:{self.port}"}

    def command(self, text):
        places = "".join(
            f"  {name}_temp_path {self.folder}/{name};\n"
            for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        file = self.write("nginx.conf", f"""
            daemon off;
            pid {self.folder}/pid;
            error_log {self.folder}/error.log;
            events {{}}
            http {{
              access_log {self.folder}/access.log;
              {places}
              {text}
            }}
            """)
        return [self.program("nginx"), "-c", file, "-p", self.folder, "-e", self.folder / "error.log"]

    def log(self):
        return (self.folder / "access.log").read_text()


class NaiveNginx(Nginx):
    """nginx as recipes for WebSockets have it, which tell the server nothing about its clients."""

    def __init__(self, server, more=""):
        super().__init__(server, f"""
            server {{
              listen 127.0.0.1:0;
              location / {{
                proxy_pass http://127.0.0.1:9090;
                proxy_http_version 1.1;
                proxy_set_header Upgrade $http_upgrade;
                proxy_set_header Connection "upgrade";
                {more}
              }}
            }}
            """, host="127.0.0.1")

    def command(self, text):
        return super().command(text.replace("127.0.0.1:0", f"127.0.0.1:{self.port}"))


class Caddy(Proxy):
    language = "caddyfile"
    # It cuts no WebSocket because nothing moves.
    idle = None

    def changes(self):
        return {f"{HOST} {{\n": f"{HOST}:{self.port} {{\n    bind 127.0.0.1\n"}

    def command(self, text):
        # Its other ports are those of the machine.
        file = self.write("Caddyfile", "{\n  admin off\n  auto_https disable_redirects\n}\n" + text)
        return [self.program("caddy"), "run", "--adapter", "caddyfile", "--config", file]


class HAProxy(Proxy):
    language = "haproxy"
    idle = "60s"

    def changes(self):
        return {"bind :443": f"bind 127.0.0.1:{self.port}"}

    def command(self, text):
        file = self.write("haproxy.cfg", text)
        return [self.program("haproxy"), "-db", "-f", file]


class PlainClient:
    """A WebSocket whose handshake a test writes itself, from an address of its own (RFC 6455)."""

    address = "127.0.0.3"

    def __init__(self, proxy, *lines, host=HOST):
        line = socket.create_connection(("127.0.0.1", proxy.port), DEADLINE, (self.address, 0))
        if proxy.certificate:
            context = ssl.create_default_context(cafile=proxy.certificate)
            line = context.wrap_socket(line, server_hostname=HOST)
        self._line = line
        self._bytes = line.makefile("rb")
        line.sendall("\r\n".join([
            "GET / HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            *lines, "", ""]).encode())
        self.status = int(self._bytes.readline().split()[1])
        while self._bytes.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bytes.close()
        self._line.close()

    def send(self, text, opcode=1):
        """A text of less than 126 bytes, masked with zeros."""
        self._line.sendall(bytes([0x80 | opcode, 0x80 | len(text), 0, 0, 0, 0]) + text)

    def receive(self):
        """The next frame's opcode and payload; None when the connection has ended."""
        head = self._bytes.read(2)
        if len(head) < 2:
            return None
        length = head[1] & 0x7F
        if length > 125:
            length = int.from_bytes(self._bytes.read(2 if length == 126 else 8), "big")
        return head[0] & 0x0F, self._bytes.read(length)

    def join(self):
        """Says hello, and waits until it is welcome."""
        self.send(b'{"op":"hello","proto":1,"client":"0123456789abcdef"}')
        while b'"welcome"' not in self.receive()[1]:
            pass

    def answer_ping(self):
        """Answers the server's next ping."""
        while (frame := self.receive())[0] != 9:
            pass
        self.send(frame[1], opcode=10)

    def wait_for_end(self):
        try:
            while self.receive():
                pass
        except (ConnectionResetError, ssl.SSLEOFError):
            pass
