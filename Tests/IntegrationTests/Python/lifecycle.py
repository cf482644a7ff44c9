"""Checks how connections, subscriptions and dispatches begin, go on and end, frame by frame.

Runs against the example board. Prints one line for each check that failed; the exit status is 0 if
there is none.
"""

import argparse
import asyncio
import json
import secrets
import sys
from contextlib import asynccontextmanager

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

DEADLINE = 60
SUBJECTS = ("connection_", "dispatch_", "subscription", "transaction_")
SUMMARY = {"op": "subscribe", "ref": 1, "select": "summary"}


class Peer:
    def __init__(self, socket, client):
        self.socket = socket
        self.client = client

    async def send(self, *frames):
        await self.socket.send(json.dumps(frames))

    async def hello(self, **members):
        await self.send({"op": "hello", "proto": 1, "client": self.client, **members})
        return await self.receive("welcome")

    async def receive(self, op):
        """The next frame, which must be of this op."""
        frame = json.loads(await self.socket.recv())
        assert frame["op"] == op, f"expected {op}, got {frame}"
        return frame

    async def closed(self, code):
        try:
            frame = await self.socket.recv()
        except ConnectionClosed:
            assert self.socket.close_code == code, f"closed with {self.socket.close_code}"
        else:
            raise AssertionError(f"expected close {code}, got {frame}")


class Checks:
    """Each method whose name begins with a subject is a check."""

    def __init__(self, url):
        self.url = url

    @asynccontextmanager
    async def peer(self, client=None, path=""):
        async with connect(
            self.url + path, subprotocols=["storecast.v1"], compression=None
        ) as socket:
            yield Peer(socket, client or secrets.token_hex(16))

    def add_card(self, seq, base=0, text="from Python"):
        action = {"type": "AddCard", "payload": {"column": "todo", "text": text}}
        return {"op": "dispatch", "seq": seq, "base": base, "action": action}

    async def connection_without_a_room(self):
        async with self.peer(path="no/such/room") as peer:
            bye = await peer.receive("bye")
            assert bye["code"] == "no-room" and bye["reconnect"] is False, bye
            await peer.closed(4105)

    async def connection_that_has_seen_more(self):
        async with self.peer() as peer:
            welcome = await peer.hello()
        seen = {"epoch": welcome["epoch"], "v": welcome["v"] + 1_000_000}
        async with self.peer() as peer:
            await peer.send({"op": "hello", "proto": 1, "client": peer.client, "seen": seen})
            bye = await peer.receive("bye")
            assert bye["code"] == "behind" and bye["reconnect"] is True, bye
            await peer.closed(4000)
        async with self.peer() as peer:
            await peer.hello(seen={**seen, "epoch": "another"})

    async def connection_replaced(self):
        async with self.peer() as older:
            await older.hello()
            await older.send(self.add_card(1))
            assert (await older.receive("transaction"))["acked"] == 1
            async with self.peer(older.client) as newer:
                assert (await newer.hello())["lastSeq"] == 1
                assert (await older.receive("bye"))["code"] == "replaced"
                await older.closed(4104)
                await newer.send(self.add_card(2))
                assert (await newer.receive("transaction"))["acked"] == 2

    async def dispatch_above_what_is_settled(self):
        async with self.peer() as peer:
            assert (await peer.hello(settled=9))["lastSeq"] == 0
            await peer.send(self.add_card(10))
            assert (await peer.receive("transaction"))["acked"] == 10

    async def dispatch_rejected_is_remembered(self):
        bad = {"op": "dispatch", "seq": 2, "base": 0, "action": {"type": "no-such-action"}}
        async with self.peer() as peer:
            await peer.hello()
            await peer.send(self.add_card(1), bad, self.add_card(3))
            assert (await peer.receive("reject"))["seq"] == 2
            assert (await peer.receive("transaction"))["acked"] == 3
        async with self.peer(peer.client) as peer:
            welcome = await peer.hello(settled=1)
            assert welcome["lastSeq"] == 3
            assert [reject["seq"] for reject in welcome["rejected"]] == [2]
        async with self.peer(peer.client) as peer:
            assert "rejected" not in await peer.hello(settled=2)

    async def dispatch_beyond_the_window(self):
        async with self.peer() as peer:
            window = (await peer.hello())["limits"]["window"]
            bad = {"op": "dispatch", "base": 0, "action": {"type": "no-such-action"}}
            await peer.send(*({**bad, "seq": seq} for seq in range(1, window + 2)))
            frame = {}
            try:
                # All of them, if the first were settled before the last was read; else the end.
                while frame.get("op") != "bye" and frame.get("acked") != window + 1:
                    frame = json.loads(await peer.socket.recv())
            except ConnectionClosed:
                raise AssertionError("closed without a bye") from None
            if frame["op"] == "bye":
                assert frame["code"] == "protocol-violation", frame
                await peer.closed(4100)

    async def subscription_resumed(self):
        async with self.peer() as keeper:
            # Somebody has the selection all the time, so that the server keeps its history.
            epoch = (await keeper.hello())["epoch"]
            await keeper.send(SUMMARY)
            tag = (await keeper.receive("subscribed"))["tag"]
            old = await keeper.receive("snapshot")
            at = {"epoch": epoch, "v": old["v"], "tag": tag}
            async with self.peer() as peer:
                await peer.hello()
                await peer.send({**SUMMARY, "at": at})
                await peer.receive("subscribed")
                assert (await peer.receive("current"))["v"] == old["v"]
                await peer.send(self.add_card(1))
                transaction = await peer.receive("transaction")
                assert transaction["count"] == 1, transaction
                await peer.receive("patch")
            patch = await keeper.receive("patch")
            assert patch["from"] == old["v"], patch
            await self.resume(at, "patch", from_version=old["v"])
            await self.resume({**at, "tag": "another"}, "snapshot")
            await self.resume({**at, "epoch": "another"}, "snapshot")
            await self.resume({**at, "v": old["v"] + 1_000_000}, "snapshot")

    async def resume(self, at, op, from_version=None):
        async with self.peer() as peer:
            await peer.hello()
            await peer.send({**SUMMARY, "at": at})
            await peer.receive("subscribed")
            frame = await peer.receive(op)
            assert frame.get("from") == from_version, frame

    async def receive_first(self, peer):
        """The value of a subscription, which may come in a transaction of its own."""
        frame = json.loads(await peer.socket.recv())
        if frame["op"] == "transaction":
            assert frame["count"] == 1 and "acked" not in frame, frame
            frame = await peer.receive("snapshot")
        assert frame["op"] == "snapshot", frame
        return frame

    async def subscription_twice_the_same(self):
        async with self.peer() as peer:
            await peer.hello()
            await peer.send(SUMMARY)
            first = await peer.receive("subscribed")
            await self.receive_first(peer)
            await peer.send({**SUMMARY, "ref": 2})
            assert (await peer.receive("subscribed"))["sub"] == first["sub"]
            await peer.receive("current")
            # It ends with its last ref.
            await peer.send({"op": "unsubscribe", "ref": 1}, self.add_card(1))
            assert (await peer.receive("transaction"))["count"] == 1
            await peer.receive("patch")
            await peer.send({"op": "unsubscribe", "ref": 2}, self.add_card(2))
            assert (await peer.receive("transaction"))["count"] == 0
            await peer.send({**SUMMARY, "ref": 2})
            await peer.receive("subscribed")
            await self.receive_first(peer)

    async def subscription_ref_in_use(self):
        async with self.peer() as peer:
            await peer.hello()
            await peer.send(SUMMARY)
            await peer.receive("subscribed")
            await self.receive_first(peer)
            await peer.send({**SUMMARY, "select": "chat"})
            error = await peer.receive("error")
            assert error["code"] == "bad-ref" and error["ref"] == 1, error

    async def subscriptions_to_the_limit(self):
        async with self.peer() as peer:
            limit = (await peer.hello())["limits"]["subscriptions"]
            await peer.send(*({**SUMMARY, "ref": ref} for ref in range(limit + 1)))
            for ref in range(limit):
                assert (await peer.receive("subscribed"))["ref"] == ref
            error = await peer.receive("error")
            assert error["code"] == "too-many-subscriptions" and error["ref"] == limit, error

    async def transaction_of_several_selections(self):
        async with self.peer() as peer:
            await peer.hello()
            column = {"op": "subscribe", "ref": 2, "select": "column",
                      "params": {"column": "todo"}}
            await peer.send(SUMMARY, column)
            for _ in range(2):
                await peer.receive("subscribed")
            assert (await peer.receive("transaction"))["count"] == 2
            for _ in range(2):
                await peer.receive("snapshot")
            async with self.peer() as other:
                await other.hello()
                await other.send(self.add_card(1))
                await other.receive("transaction")
            transaction = await peer.receive("transaction")
            assert transaction["count"] == 2 and "acked" not in transaction, transaction
            parts = [json.loads(await peer.socket.recv()) for _ in range(2)]
            assert {part["v"] for part in parts} == {transaction["v"]}, parts
            assert len({part["sub"] for part in parts}) == 2, parts


async def run(url):
    checks = Checks(url if url.endswith("/") else url + "/")
    names = [name for name in vars(Checks) if name.startswith(SUBJECTS)]
    failures = 0
    for name in names:
        try:
            async with asyncio.timeout(DEADLINE):
                await getattr(checks, name)()
        except (AssertionError, ConnectionClosed, TimeoutError) as error:
            failures += 1
            print(f"{name}: {error or type(error).__name__}")
    print(f"{len(names)} checks, {failures} failures")
    return failures == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the board's, ws://127.0.0.1:9090/")
    sys.exit(0 if asyncio.run(run(parser.parse_args().url)) else 1)
