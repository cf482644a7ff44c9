"""A small Storecast client, written from Docs/Protocol.md alone.

One task reads; every other method only sends, or waits for what the reader finds out.
"""

import asyncio
import itertools
import json
import secrets
from dataclasses import dataclass, field

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from json_patch import apply_patch


class ProtocolError(Exception):
    """The server did what the protocol doesn't allow."""


class Refused(Exception):
    """An `error` frame in answer to something that this client waited for."""

    def __init__(self, frame):
        super().__init__(f"{frame['code']}: {frame['title']} {frame.get('detail', '')}".strip())
        self.frame = frame


@dataclass
class Copy:
    """The connection's one copy of the value that a `sub` stands for."""

    sub: int
    tag: str
    live: asyncio.Event = field(default_factory=asyncio.Event)
    value: object = None
    version: int = -1  # the value's version
    frames: dict = field(
        default_factory=lambda: {"snapshot": 0, "patch": 0, "current": 0, "lapse": 0}
    )


@dataclass
class Outcome:
    """How a dispatch ended: `rejection` is the reject frame, or None if it was reduced."""

    seq: int
    version: int
    rejection: dict | None


class Client:
    def __init__(self, url, client_id=None, token=None):
        self.url = url
        self.client_id = client_id or secrets.token_hex(16)
        self.token = token
        self.welcome = None
        self.version = 0  # the newest version of the room in any frame
        self.applied = 0  # the version of the last transaction that is complete
        self.copies = {}  # by sub
        self.settled = 0
        self.outcomes = {}  # by seq; a list, to see a second one
        self.errors = []
        self.bye = None
        self.close_code = None
        self._refs = itertools.count(1)
        self._subscribing = {}  # futures by ref
        self._pongs = []
        self._unsettled = {}  # dispatch frames by seq, in order
        self._rejects = {}  # final rejects that no transaction has settled yet
        self._transaction = None  # the frame that began it, and its parts so far
        self._changed = asyncio.Condition()
        self._dispatching = asyncio.Lock()  # keeps dispatches in order
        self._repeats = set()  # tasks, held so that they aren't collected

    async def __aenter__(self):
        # A message to a client has no limit but the size of its value.
        self._socket = await connect(
            self.url, subprotocols=["storecast.v1"], max_size=None, compression=None
        )
        if self._socket.subprotocol != "storecast.v1":
            raise ProtocolError("the server doesn't speak storecast.v1")
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: asyncio.create_task(self._wake()))
        hello = {"op": "hello", "proto": 1, "client": self.client_id}
        if self.token is not None:
            hello["token"] = self.token
        await self.send(hello)
        await self.until(lambda: self.welcome)
        return self

    async def __aexit__(self, *_):
        await self._socket.close(1000)
        await asyncio.gather(self._reader, return_exceptions=True)

    async def send(self, frames):
        """Sends a frame, or a list of frames as one batch."""
        await self._socket.send(json.dumps(frames))

    async def until(self, condition):
        """Waits until `condition()` is true; raises if the connection ends before that."""
        async with self._changed:
            await self._changed.wait_for(lambda: condition() or self._reader.done())
        if not condition():
            await self._reader  # raises what it died of
            raise ConnectionError(f"closed with {self.close_code}: {self.bye}")

    async def subscribe(self, select, params=None):
        """A live copy of a selection."""
        ref = next(self._refs)
        frame = {"op": "subscribe", "ref": ref, "select": select}
        if params is not None:
            frame["params"] = params
        answer = self._subscribing[ref] = asyncio.get_running_loop().create_future()
        await self.send(frame)
        await self.until(answer.done)
        copy = answer.result()
        await self.until(copy.live.is_set)
        return copy

    async def dispatch(self, action):
        """Sends an action as soon as the window has room, and returns its `seq`."""
        window = self.welcome["limits"]["window"]
        async with self._dispatching:
            seq = self._last_sent + 1
            await self.until(lambda: seq - self.settled <= window)
            frame = {"op": "dispatch", "seq": seq, "base": self.version, "action": action}
            if self.settled:
                frame["settled"] = self.settled
            self._unsettled[seq] = frame
            self._last_sent = seq
            await self.send(frame)
            return seq

    async def outcome(self, seq):
        await self.until(lambda: seq in self.outcomes)
        return self.outcomes[seq][0]

    async def ping(self):
        """The version of the room, from its `pong`."""
        pong = asyncio.get_running_loop().create_future()
        self._pongs.append(pong)
        await self.send({"op": "ping"})
        await self.until(pong.done)
        return pong.result()

    async def catch_up(self, copy, version, select, params):
        """Waits until `copy` is known to be the value at `version` of the room, or later; returns
        the version that it is known to be the value at.

        The value's own version rises only when the value changes. So when the room is there but
        the value has not said so, subscribing a second time tells: its `current`, `patch` or
        `snapshot` comes behind everything older.
        """
        while (known := max(copy.version, self.applied)) < version:
            if (now := await self.ping()) >= version:
                await self.subscribe(select, params)
                return now
            await asyncio.sleep(0.02)
        return known

    async def _read(self):
        try:
            async for message in self._socket:
                if not isinstance(message, str):
                    raise ProtocolError("a binary message")
                self._receive(json.loads(message))
                await self._wake()
        except ConnectionClosed:
            pass
        finally:
            self.close_code = self._socket.close_code

    async def _wake(self):
        async with self._changed:
            self._changed.notify_all()

    def _receive(self, frame):
        op = frame["op"]
        if self._transaction:
            self._collect(frame)
        elif op == "transaction":
            self._transaction = (frame, [])
            self._end_of_transaction()
        elif op in ("snapshot", "patch", "current"):
            self._apply(frame)
        elif op == "welcome":
            self._welcome(frame)
        elif op == "subscribed":
            sub = frame["sub"]
            copy = self.copies.setdefault(sub, Copy(sub, frame["tag"]))
            copy.live.clear()
            self._subscribing.pop(frame["ref"]).set_result(copy)
        elif op == "reject":
            self._reject(frame)
        elif op == "lapse":
            copy = self.copies.pop(frame["sub"])
            copy.frames["lapse"] += 1
        elif op == "error":
            self._error(frame)
        elif op == "pong":
            self.version = max(self.version, frame["v"])
            self._pongs.pop(0).set_result(frame["v"])
        elif op == "bye":
            self.bye = frame

    def _welcome(self, frame):
        if self.welcome:
            raise ProtocolError("a second welcome")
        self.welcome = frame
        self.version = self.applied = frame["v"]
        self.settled = self._last_sent = frame["lastSeq"]

    def _collect(self, frame):
        if frame["op"] not in ("snapshot", "patch", "current"):
            raise ProtocolError(f"{frame['op']} within a transaction")
        self._transaction[1].append(frame)
        self._end_of_transaction()

    def _end_of_transaction(self):
        begin, parts = self._transaction
        if len(parts) < begin["count"]:
            return
        self._transaction = None
        if len({part["sub"] for part in parts}) < len(parts):
            raise ProtocolError("a transaction changes a subscription twice")
        for part in parts:
            self._apply(part)
        self.version = max(self.version, begin["v"])
        self.applied = max(self.applied, begin["v"])
        self._settle(begin)

    def _apply(self, frame):
        copy = self.copies.get(frame["sub"])
        if copy is None:
            return  # still under way when it ended
        if frame["op"] == "snapshot":
            copy.value = frame["value"]
        elif frame["op"] == "patch":
            if frame["from"] != copy.version:
                raise ProtocolError(f"a patch from {frame['from']} to a value at {copy.version}")
            copy.value = apply_patch(copy.value, frame["ops"])
        if frame["op"] != "current" and frame["v"] <= copy.version:
            raise ProtocolError(f"{frame} behind a value at {copy.version}")
        copy.version = frame["v"]
        copy.frames[frame["op"]] += 1
        copy.live.set()
        self.version = max(self.version, frame["v"])

    def _settle(self, transaction):
        acked = transaction.get("acked", 0)
        if acked > self._last_sent:
            raise ProtocolError(f"{acked} is acked, but {self._last_sent} was the last one sent")
        while self.settled < acked:
            self.settled += 1
            seq = self.settled
            self._unsettled.pop(seq, None)
            outcome = Outcome(seq, transaction["v"], self._rejects.pop(seq, None))
            self.outcomes.setdefault(seq, []).append(outcome)

    def _reject(self, frame):
        seq = frame["seq"]
        if seq <= self.settled or seq > self._last_sent:
            self.outcomes.setdefault(seq, []).append(Outcome(seq, self.version, frame))
        elif not frame["retryable"]:
            self._rejects[seq] = frame
        else:
            repeat = asyncio.create_task(self._repeat(seq, frame.get("retryAfter", 0.1)))
            self._repeats.add(repeat)
            repeat.add_done_callback(self._repeats.discard)

    async def _repeat(self, first, after):
        """Sends the dispatches from `first` again; the server ignores the others until it does."""
        async with self._dispatching:
            await asyncio.sleep(after)
            for seq, frame in list(self._unsettled.items()):
                if seq >= first:
                    await self.send(frame)

    def _error(self, frame):
        self.errors.append(frame)
        waiting = self._subscribing.pop(frame.get("ref"), None)
        if waiting:
            waiting.set_exception(Refused(frame))
