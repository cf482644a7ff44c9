"""Sends every message that must be refused, and checks that the answers are the documented ones.

Each vector of Tests/Vectors/malformed, and each invalid frame of a client in Tests/Vectors/frames,
gets a connection of its own. Meanwhile a well-behaved client must notice nothing. Prints one line
for each vector that failed; the exit status is 0 if there is none.
"""

import argparse
import asyncio
import base64
import json
import pathlib
import secrets
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from storecast_client import Client

VECTORS = pathlib.Path(__file__).parents[2] / "Vectors"
DEADLINE = 10


def vectors(room):
    for path in sorted((VECTORS / "malformed").glob("*.json")):
        vector = json.loads(path.read_text())
        if vector.get("room") in (None, room):
            yield vector
    for path in sorted((VECTORS / "frames").glob("invalid-*.json")):
        frame = json.loads(path.read_text())
        if frame["direction"] == "client":
            yield {
                "name": frame["name"],
                "after": "hello",
                "message": json.dumps(frame["frame"]),
                "answers": [{"op": "error", **frame["error"]}],
            }


def message_of(vector):
    """The message as websockets wants it: its bytes, and whether they are text."""
    if repeat := vector.get("repeat"):
        times = repeat["times"]
        body = repeat["open"] * times + repeat["close"] * times
        return (repeat["prefix"] + body + repeat["suffix"]).encode(), True
    if "base64" in vector:
        return base64.b64decode(vector["base64"]), True
    return vector["message"].encode(), not vector.get("binary", False)


def fits(answer, expected):
    """Whether the frame has the members expected; `detail` is a part of what it must contain."""
    for key, value in expected.items():
        if key == "detail":
            if value not in answer.get("detail", ""):
                return False
        elif answer.get(key) != value or type(answer.get(key)) is not type(value):
            return False
    if expected["op"] == "error":
        # What isn't expected mustn't be claimed, either.
        return all(key in expected for key in ("ref", "seq", "index") if key in answer)
    return True


async def check(url, vector, token):
    """None if the answers are right, else what is wrong."""
    expected = vector["answers"]
    answers = []
    async with connect(
        url, subprotocols=["storecast.v1"], max_size=None, compression=None
    ) as socket:

        async def receive():
            answers.append(json.loads(await socket.recv()))
            return answers[-1]["op"]

        async def greet():
            hello = {"op": "hello", "proto": 1, "client": secrets.token_hex(16)}
            if token is not None:
                hello["token"] = token
            await socket.send(json.dumps(hello))
            while await receive() != "welcome":
                pass
            answers.pop()

        try:
            if vector["after"] == "hello":
                await greet()
            if "before" in vector:
                await socket.send(vector["before"])
                while await receive() != vector["awaits"]:
                    pass
                answers.clear()
            message, is_text = message_of(vector)
            await socket.send(message, text=is_text)
            if not vector.get("close"):
                await socket.send('{"op":"ping"}')
            pongs = vector.get("readable", 0) + 1
            while True:
                if await receive() == "pong":
                    answers.pop()
                    pongs -= 1
                if not vector.get("close") and pongs == 0 and len(answers) >= len(expected):
                    break
        except ConnectionClosed:
            pass
        if vector.get("close") != socket.close_code:
            return f"closed with {socket.close_code}, not {vector.get('close')}; {answers}"
    if len(answers) != len(expected) or not all(map(fits, answers, expected)):
        return f"answered {json.dumps(answers)}, not {json.dumps(expected)}"
    return None


async def check_in_time(url, vector, token):
    try:
        async with asyncio.timeout(DEADLINE):
            return await check(url, vector, token)
    except TimeoutError:
        return f"no answer, or not all of {json.dumps(vector['answers'])}, in {DEADLINE} seconds"


async def run(options):
    failures = count = 0
    async with Client(options.url, token=options.token) as bystander:
        copy = await bystander.subscribe(options.selection, options.params)
        for vector in vectors(options.room):
            problem = await check_in_time(options.url, vector, options.token)
            count += 1
            if problem:
                failures += 1
                print(f"{vector['name']}: {problem}")
            await bystander.ping()
        noticed = [bystander.errors, bystander.bye, copy.frames["lapse"], bystander.outcomes]
        if any(noticed) or sum(copy.frames.values()) != 1:
            failures += 1
            print(f"the other connection noticed: {noticed} {copy.frames}")
    print(f"{count} vectors, {failures} failures")
    return failures == 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--token")
    parser.add_argument("--room", choices=["board", "json"], default="board")
    parser.add_argument("--selection", default="summary", help="what the other client mirrors")
    parser.add_argument("--params", type=json.loads)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(run(arguments())) else 1)
