"""Runs one client against a server and prints what it ended up with as one line of JSON.

The client dispatches its actions without waiting for outcomes, but within the window. When all have
their outcome it prints {"settled": N} on standard output; then it reads a version of the room from
standard input, waits until its mirror is at least there, and prints the mirror. Its exit status is
0 if every dispatch had exactly one outcome and nothing else went wrong.
"""

import argparse
import asyncio
import json
import sys

from storecast_client import Client


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--client-id", required=True)
    parser.add_argument("--token")
    parser.add_argument("--selection", required=True)
    parser.add_argument("--params", type=json.loads)
    parser.add_argument("--actions", type=int, required=True)
    parser.add_argument(
        "--action-template",
        required=True,
        help='JSON of an action; in its strings $N is replaced by 1, 2, 3 …, "$N" by the number',
    )
    return parser.parse_args()


def action(template, number):
    """The template with the number in place of $N."""
    if isinstance(template, dict):
        return {key: action(value, number) for key, value in template.items()}
    if isinstance(template, list):
        return [action(value, number) for value in template]
    if template == "$N":
        return number
    return template.replace("$N", str(number)) if isinstance(template, str) else template


def show(report):
    print(json.dumps(report), flush=True)


async def run(options):
    template = json.loads(options.action_template)
    async with Client(options.url, options.client_id, options.token) as client:
        copy = await client.subscribe(options.selection, options.params)
        sent = []
        for number in range(1, options.actions + 1):
            sent.append(await client.dispatch(action(template, number)))
        if sent:
            await client.until(lambda: client.settled >= sent[-1])
        show({"settled": client.settled, "v": client.version})
        line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        version = await client.catch_up(copy, int(line), options.selection, options.params)
        # What could come twice would come before this.
        await client.ping()
        outcomes = [client.outcomes.get(seq, []) for seq in sent]
        rejected = sum(1 for found in outcomes for one in found if one.rejection)
        once = all(len(found) == 1 for found in outcomes) and len(client.outcomes) == len(sent)
        show(
            {
                "value": copy.value,
                "valueVersion": copy.version,
                "version": version,
                "roomVersion": client.version,
                "dispatched": len(sent),
                "acked": sum(map(len, outcomes)) - rejected,
                "rejected": rejected,
                "once": once,
                "frames": copy.frames,
                "errors": client.errors,
            }
        )
        return once and not client.errors and client.bye is None


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(run(arguments())) else 1)
