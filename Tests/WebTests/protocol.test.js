import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { missing, Server, WebSocket } from "./support/Server.js";

const page = readFileSync(new URL("../../Docs/Protocol.md", import.meta.url), "utf8");
const [life, , , reduced, two, notYet, , transaction] = conversations();
const shown = [...page.matchAll(/^```json\n(.*)\n```/gm)].map(([, frame]) => JSON.parse(frame));
const bye = life.pop();
const increment = { type: "increment", payload: { path: "/votes/coffee", by: 0 } };

const python = fileURLToPath(new URL("../../.build/python/bin/python3", import.meta.url));
const noPython = !hasPackages() && "needs .build/python: README's test command makes it";

function hasPackages() {
  try {
    return execFileSync(python, ["-c", "import jsonpatch, websockets; print('both')"]);
  } catch {
    return undefined;
  }
}

/** The conversations of the page, line by line. */
function conversations() {
  return [...page.matchAll(/^```text\n([^]*?)^```/gm)].map(([, text]) =>
    // Parts of values, which begin with a digit, are no frames.
    [...text.matchAll(/^(C→S|S→C) ([^0-9].*)$/gm)].map(([, direction, frame]) => ({
      isSent: direction === "C→S",
      frame: JSON.parse(frame),
    })),
  );
}

/** A client that says what the page says, and knows the page's names for what the server names. */
class Reader {
  #socket;
  #heard = [];
  #wake = () => {};
  #names = new Map();
  #values = new Map();

  static async open(url) {
    const reader = new Reader();
    reader.#socket = new WebSocket(url, ["storecast.v1"]);
    reader.#socket.addEventListener("message", ({ data }) => {
      reader.#heard.push(JSON.parse(data));
      reader.#wake();
    });
    await new Promise((resolve) => reader.#socket.addEventListener("open", resolve));
    return reader;
  }

  say(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  async hear() {
    while (this.#heard.length === 0) await new Promise((resolve) => (this.#wake = resolve));
    return this.#heard.shift();
  }

  /** Has the part of a conversation, in which the server says what the page says. */
  async play(lines) {
    // What is said without a pause between comes in one turn of the server's, as in a batch.
    let batch = [];
    for (const { isSent, frame } of lines) {
      if (isSent) {
        batch = batch.concat(frame);
      } else {
        if (batch.length > 0) this.say(batch);
        batch = [];
        this.check(await this.hear(), frame);
      }
    }
  }

  check(heard, said) {
    if (heard.op === "subscribed") {
      this.#names.set(heard.sub, said.sub);
      heard.tag = said.tag;
    }
    if ("epoch" in heard) heard.epoch = said.epoch;
    // The conversations leave out that it is nobody's.
    if (heard.identity?.id === "" && !said.identity) delete heard.identity;
    if ("sub" in heard) heard.sub = this.#names.get(heard.sub);
    if (heard.op === "snapshot" && said.op === "patch") {
      const value = patched(this.#values.get(said.sub), said.ops);
      said = { op: "snapshot", sub: said.sub, v: said.v, value };
    }
    assert.deepEqual(heard, said);
    if (heard.op === "snapshot") this.#values.set(heard.sub, heard.value);
  }

  close() {
    this.#socket.close();
  }
}

/** A value with operations as the page has them. */
function patched(value, ops) {
  const made = structuredClone(value);
  for (const { op, path, value } of ops) {
    const [key, ...rest] = path.slice(1).split("/");
    assert(rest.length === 0 && ["add", "replace"].includes(op), path);
    if (Array.isArray(made)) made.splice(Number(key), op === "add" ? 0 : 1, value);
    else made[key] = value;
  }
  return made;
}

describe("Docs/Protocol.md", { skip: missing }, () => {
  test("shows what the server says", { timeout: 60_000 }, async (context) => {
    const server = await Server.start({ document: { votes: { coffee: 3, tea: 2 }, log: [] } });
    const stop = () => (stopped ??= server.stop());
    let stopped;
    context.after(stop);
    const others = await Reader.open(server.url);
    let seq = 0;
    const act = async (...actions) => {
      others.say(actions.map((action) => ({ op: "dispatch", seq: (seq += 1), base: 0, action })));
      while ((await others.hear()).acked !== seq);
    };
    others.say({ op: "hello", proto: 1, client: "0a8f6a6de6a94b3c9f2f5d0b8c7e1a42" });
    await others.hear();
    for (let v = 1; v <= 7; v += 1) await act(increment);

    let reader = await Reader.open(server.url);
    await reader.play(life);
    await reader.play(reduced);
    reader.say({ op: "dispatch", seq: 2, base: 8, action: increment });
    await reader.hear();
    await act(increment, increment);
    await reader.play(two);
    reader.close();

    // What was rejected is told again.
    reader = await Reader.open(server.url);
    const welcome = shown.find(({ op, rejected }) => op === "welcome" && rejected);
    const hello = shown.find(({ op, settled }) => op === "hello" && settled === 2);
    reader.say({ ...hello, token: undefined, seen: undefined });
    reader.check(await reader.hear(), welcome);
    const paths = { 5: "/votes", 8: "/log" };
    const values = { 5: { coffee: 3, tea: 3 }, 8: ["tea is ready"] };
    for (const [ref, sub] of [5, 8].entries()) {
      reader.say({ op: "subscribe", ref, select: "value", params: { path: paths[sub] } });
      const bytes = JSON.stringify(values[sub]).length;
      reader.check(await reader.hear(), { op: "subscribed", ref, sub, tag: "", bytes });
      let answer = await reader.hear();
      // Nobody had followed it for a while.
      if (answer.op === "transaction") {
        reader.check(answer, { op: "transaction", v: answer.v, count: 1 });
        answer = await reader.hear();
      }
      reader.check(answer, { op: "snapshot", sub, v: answer.v, value: values[sub] });
    }
    await reader.play(notYet.slice(notYet.findIndex(({ isSent }) => !isSent) + 1));
    await act(
      { type: "set", payload: { path: "/votes/cocoa", value: 1 } },
      { type: "append", payload: { path: "/log", value: "cocoa is in" } },
      { type: "append", payload: { path: "/log", value: "so is sugar" } },
    );
    await reader.play(transaction);

    const [unreadable, unknown] = shown.filter(({ op }) => op === "error");
    reader.say([{ op: "ping" }, { op: "dispatch", seq: unreadable.seq, action: increment }]);
    await reader.hear();
    reader.check(await reader.hear(), unreadable);
    reader.say({ op: "subscribe", ref: unknown.ref, select: "vaule" });
    reader.check(await reader.hear(), unknown);

    const hasty = await Reader.open(server.url);
    hasty.say({ op: "hello", proto: 1, client: "00000000000000000000000000000000", settled: 2 });
    await hasty.hear();
    hasty.say({ op: "dispatch", seq: 5, base: 0, action: increment });
    hasty.check(await hasty.hear(), shown.filter(({ op }) => op === "bye")[1]);

    const end = stop();
    reader.check(await reader.hear(), bye.frame);
    await end;
  });

  test("ends with a client that works", { timeout: 60_000, skip: noPython }, async (context) => {
    const server = await Server.start({ document: { votes: { coffee: 3, tea: 2 }, log: [] } });
    const [, program] = /^```python\n([^]*?)^```/m.exec(page);
    assert(program.trim().split("\n").length < 30, "as the page says at its beginning");
    const here = program.replace("ws://127.0.0.1:9090/", server.url);
    const client = spawn(python, ["-u", "-c", here], { stdio: ["ignore", "pipe", "inherit"] });
    context.after(async () => {
      client.kill();
      await server.stop();
    });
    const lines = [];
    for await (const line of createInterface({ input: client.stdout })) {
      lines.push(line);
      if (lines.length === 3) break;
    }
    const settled = "{'op': 'transaction', 'v': 1, 'count': 1, 'acked': 1}";
    assert.deepEqual(lines, ["{'coffee': 3, 'tea': 2}", settled, "{'coffee': 3, 'tea': 3}"]);
  });
});
