import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "./support/testing.js";
import * as anywhere from "../../Clients/Web/storecast/index.js";
import * as node from "../../Clients/Web/storecast/node.js";
import { missing, Server } from "./support/Server.js";

const url = "ws://test/";
const { fileOutbox } = node;
const entry = new URL("../../Clients/Web/storecast/node.js", import.meta.url);

let folder;
let path;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "storecast-outbox-"));
  path = join(folder, "deep", "ada.outbox");
});
afterEach(() => rmSync(folder, { recursive: true }));

let clients = 0;
const newClient = () => String((clients += 1)).padStart(32, "0");
const opened = (at = path, room = url) => fileOutbox(at).open(room, newClient);
const dispatch = (seq, text = "tea") => ({
  seq,
  base: 0,
  epoch: "e",
  action: JSON.stringify({ type: "vote", payload: text }),
});

/** Lets go of an outbox, and comes back when it is free. */
async function closed(outbox) {
  outbox.close();
  while (existsSync(`${path}.lock`)) await new Promise((resolve) => setImmediate(resolve));
}

describe("an outbox in a file", () => {
  test("keeps what wasn't settled, and counts how often it was opened", async () => {
    const first = await opened();
    assert.deepEqual(first.contents.dispatches, []);
    await first.write({ dispatches: [dispatch(1), dispatch(2), dispatch(3)], settled: 0 });
    await first.write({ dispatches: [], settled: 1 });
    await closed(first);
    const second = await opened();
    const { client, opening, settled, dispatches } = second.contents;
    assert.deepEqual([client, opening, settled], [first.contents.client, 2, 1]);
    assert.deepEqual(dispatches, [dispatch(2), dispatch(3)]);
    await closed(second);
  });

  test("keeps what takes the place of something", async () => {
    const first = await opened();
    await first.write({ dispatches: [dispatch(1), dispatch(2)], settled: 0 });
    const moved = { ...dispatch(2), base: 7, epoch: "f" };
    await first.write({ dispatches: [moved], settled: 0 });
    await closed(first);
    const second = await opened();
    assert.deepEqual(second.contents.dispatches, [dispatch(1), moved]);
    await closed(second);
  });

  test("belongs to one program at a time, and to the next when that one ends", async () => {
    const first = await opened();
    const title = "Another connection of this program has this outbox open.";
    await assert.rejects(opened(), { code: "outbox-locked", title });
    await closed(first);
    await closed(await opened());
  });

  test("is readable for its owner only", async () => {
    const log = await opened();
    await log.write({ dispatches: [dispatch(1)], settled: 0 });
    for (const file of [path, `${path}.lock`]) assert.equal(statSync(file).mode & 0o777, 0o600);
    await closed(log);
  });

  test("is taken over from a program that was killed", async () => {
    const program = `
      import { fileOutbox } from ${JSON.stringify(entry.href)};
      const outbox = await fileOutbox(${JSON.stringify(path)}).open("${url}", () => "k".repeat(32));
      await outbox.write({ dispatches: [${JSON.stringify(dispatch(1))}], settled: 0 });
      console.log("written");
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", program]);
    await new Promise((resolve) => other.stdout.once("data", resolve));
    await assert.rejects(opened(), (error) => error.message.includes(`Process ${other.pid} has`));
    const ended = new Promise((resolve) => other.once("exit", resolve));
    other.kill("SIGKILL");
    await ended;
    const mine = await opened();
    assert.equal(mine.contents.client, "k".repeat(32));
    assert.deepEqual(mine.contents.dispatches, [dispatch(1)]);
    await closed(mine);
  });

  test("isn't taken from a running program of another user", async (context) => {
    const first = await opened();
    // As the system answers who may not send it a signal.
    const refuse = () => {
      throw Object.assign(new Error("No."), { code: "EPERM" });
    };
    const kill = context.mock.method(process, "kill", refuse);
    await assert.rejects(opened(), { code: "outbox-locked" });
    kill.mock.restore();
    await closed(first);
  });

  test("is taken over from a program whose number another one has now", async () => {
    await closed(await opened());
    writeFileSync(`${path}.lock`, `${process.pid} 1 of-an-earlier-program`);
    await closed(await opened());
  });

  test("survives every place where a crash may have cut the last line", async () => {
    const first = await opened();
    await first.write({ dispatches: [dispatch(1)], settled: 0 });
    const { length } = readFileSync(path);
    await first.write({ dispatches: [dispatch(2, "ä\u2028")], settled: 0 });
    await closed(first);
    const whole = readFileSync(path);
    for (let end = length; end < whole.length; end += 9) {
      writeFileSync(path, whole.subarray(0, end));
      const outbox = await opened();
      assert.deepEqual(outbox.contents.dispatches, [dispatch(1)], `cut at ${end}`);
      await outbox.write({ dispatches: [dispatch(2)], settled: 1 });
      await closed(outbox);
    }
    const holes = Buffer.from(whole);
    holes.fill(0, length + 3, length + 30);
    writeFileSync(path, holes);
    const outbox = await opened();
    assert.deepEqual(outbox.contents.dispatches, [dispatch(1)]);
    await closed(outbox);
  });

  test("that is damaged is said to be, and left as it is", async () => {
    const first = await opened();
    await first.write({ dispatches: [dispatch(1)], settled: 0 });
    await first.write({ dispatches: [dispatch(2)], settled: 0 });
    await closed(first);
    const whole = readFileSync(path, "utf8");
    for (const text of ["nothing of ours\n", whole.replace("tea", "pea"), whole.slice(0, 30)]) {
      writeFileSync(path, text);
      await assert.rejects(opened(), /no outbox, or damaged/);
      assert.equal(readFileSync(path, "utf8"), text);
      assert(!existsSync(`${path}.lock`));
    }
  });

  test("of another room is said to be", async () => {
    await closed(await opened());
    const other = opened(path, "ws://test/other");
    await assert.rejects(other, { code: "outbox-unreadable", message: /ws:\/\/test\/\./ });
  });

  test("goes on behind a write that failed half-way", async () => {
    const first = await opened();
    await first.write({ dispatches: [dispatch(1)], settled: 0 });
    appendFileSync(path, "0123456789abcdef {\"dispatches\":[");
    await first.write({ dispatches: [dispatch(2)], settled: 0 });
    await closed(first);
    const second = await opened();
    assert.deepEqual(second.contents.dispatches, [dispatch(1), dispatch(2)]);
    await closed(second);
  });

  test("is written anew before it grows without an end", async () => {
    const outbox = await opened();
    const text = "x".repeat(100_000);
    let most = 0;
    for (let seq = 1; seq <= 60; seq += 1) {
      await outbox.write({ dispatches: [dispatch(seq, text)], settled: seq - 1 });
      most = Math.max(most, readFileSync(path).length);
    }
    assert(most < 2_000_000, `${most} bytes`);
    await closed(outbox);
    const again = await opened();
    assert.deepEqual(again.contents.dispatches, [dispatch(60, text)]);
    await closed(again);
  });
});

/** What a program prints that has Debian's packages, as text. */
function run(program) {
  const begin = `import { connect, fileOutbox } from ${JSON.stringify(entry.href)};\n`;
  const options = ["--input-type=module", "-e", begin + program];
  const env = { ...process.env, NODE_PATH: "/usr/share/nodejs" };
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { env });
  assert.equal(status, 0, String(stderr));
  return String(stdout);
}

describe("storecast/node", () => {
  test("has what programs use of the module for browsers, and its own way to connect", () => {
    const { connect, fileOutbox, ...same } = node;
    assert.notEqual(connect, anywhere.connect);
    for (const [name, value] of Object.entries(same)) assert.equal(value, anywhere[name], name);
    assert.ok(same.Rejection && same.memoryCache && same.applyEdit && fileOutbox);
  });

  test("finds a WebSocket, and sends what an earlier one left", { skip: missing }, async () => {
    const server = await Server.start({ document: { tea: 0 } });
    const outbox = `fileOutbox(${JSON.stringify(path)})`;
    run(`
      const WebSocket = class { close() {} };
      const connection = connect("${server.url}", { outbox: ${outbox}, WebSocket });
      connection.on("status", ({ state }) => {
        if (state !== "connecting") return;
        connection.dispatch({ type: "increment", payload: { path: "/tea", by: 1 } });
        connection.close();
      });`);
    const shown = run(`
      const connection = connect("${server.url}", { outbox: ${outbox} });
      await new Promise((resolve) => {
        const isDone = () => connection.status.state === "live" && connection.pendingCount === 0;
        connection.subscribe(() => isDone() && resolve());
      });
      console.log(await connection.once("value", { path: "/tea" }));
      connection.close();`);
    assert.equal(shown, "1\n");
    await server.stop();
  });

  test("takes the WebSocket that is given, also where node has one", async () => {
    const shown = run(`
      const given = (name) => class { constructor() { console.log(name); } close() {} };
      globalThis.WebSocket = given("node's");
      for (const WebSocket of [undefined, given("the caller's")]) {
        const connection = connect("ws://test/", { WebSocket });
        await Promise.resolve();
        connection.close();
      }`);
    assert.equal(shown, "node's\nthe caller's\n");
  });

  test("says what it needs where there is no WebSocket", () => {
    const shown = run(`
      delete globalThis.WebSocket;
      process.chdir("/");
      const { Module } = await import("node:module");
      delete process.env.NODE_PATH;
      Module._initPaths();
      Module.globalPaths.length = 0;
      try {
        connect("ws://test/");
      } catch (error) {
        console.log(error.message);
      }`);
    assert.match(shown, /install the package 'ws'/);
  });
});
