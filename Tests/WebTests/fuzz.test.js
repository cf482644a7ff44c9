import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import { readJSON } from "../../Clients/Web/storecast/wire/JSONText.js";
import { PatchedValue } from "../../Clients/Web/storecast/wire/PatchedValue.js";
import { Seed } from "./support/Seed.js";
import { TestPeer } from "./support/TestPeer.js";

const folder = new URL("../Vectors/frames/", import.meta.url);
const frames = readdirSync(folder)
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")))
  .filter(({ direction }) => direction === "server")
  .map(({ frame }) => JSON.stringify(frame));

/** A text with a few faults. */
function spoil(text, seed) {
  let spoilt = text;
  for (let faults = seed.below(4); faults > 0; faults -= 1) {
    const at = seed.below(spoilt.length + 1);
    const length = seed.below(4);
    const pieces = ['"', "{", "}", "[", "]", ",", ":", "\\", "0", "-1", "1e999", "null", "\ud800"];
    const piece = seed.one([...pieces, "", '"op":"x"']);
    spoilt = spoilt.slice(0, at) + piece + spoilt.slice(at + length);
  }
  return spoilt;
}

describe("whatever a server says", () => {
  for (const start of [1, 2, 3, 4]) {
    test(`a client stays in order (seed ${start})`, async () => {
      const seed = new Seed(start);
      const peer = new TestPeer();
      const unhandled = [];
      const listener = (error) => unhandled.push(error);
      process.on("unhandledRejection", listener);
      const optimistic = (state) => state;
      for (const [name, params] of [["value", { path: "/votes" }], ["log"], ["chat", null]]) {
        peer.connection.select(name, params, seed.chance(0.5) ? { optimistic } : undefined);
      }
      for (let round = 0; round < 60; round += 1) {
        await peer.platform.advance(seed.below(20_000));
        if (peer.connection.status.state === "refused") peer.connection.reconnect();
        await peer.platform.advance(0);
        if (peer.connection.status.state === "connecting") await peer.welcome();
        peer.connection.dispatch({ type: "a", payload: round });
        for (let count = 0; count < 30 && !peer.socket.isClosed; count += 1) {
          peer.socket.onmessage({ data: spoil(seed.one(frames), seed) });
        }
        const sent = await peer.heard();
        assert(sent.every(({ op }) => typeof op === "string"));
      }
      process.off("unhandledRejection", listener);
      assert.deepEqual(unhandled, []);
      assert(peer.connection.pendingCount <= 60);
      peer.connection.close();
      assert.equal(peer.platform.nextDue, Infinity);
    });
  }

  test("is read as JSON.parse reads it, or refused", () => {
    const seed = new Seed(7);
    let refused = 0;
    for (let count = 0; count < 20_000; count += 1) {
      const text = spoil(seed.one(frames), seed);
      let value;
      try {
        value = readJSON(text);
      } catch (error) {
        assert.equal(error.code, "malformed", text);
        refused += 1;
        continue;
      }
      assert.deepEqual(value, JSON.parse(text), text);
    }
    assert(refused > 5000 && refused < 19_000, `${refused} were refused`);
  });

  test("is cut off anywhere, and refused", () => {
    for (const text of frames) {
      for (let end = 0; end < text.length; end += 1) {
        assert.throws(() => readJSON(text.slice(0, end)), { code: "malformed" });
      }
    }
  });

  test("has no member twice, however it is spelled", () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":1}',
      '[{"x":{":":1,":":2}}]',
      '{"__proto__":1,"__proto__":2}',
      '{"a\\"":1,"b":":","a\\u0022":2}',
    ]) {
      assert.throws(() => readJSON(text), { code: "malformed" }, text);
    }
    const fine = ['{"a":{"a":1},"b":"a:\\"a\\":"}', '{"a\\\\":1,"a":":{"}', '["\\\\",{"":1}]'];
    for (const text of fine) assert.deepEqual(readJSON(text), JSON.parse(text));
  });

  test("is nested no deeper than 512 levels", () => {
    const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
    readJSON(nested(512));
    assert.throws(() => readJSON(nested(513)), { code: "malformed" });
    assert.throws(() => readJSON(nested(1_000_000)), { code: "malformed" });
  });
});

describe("whatever a patch does", () => {
  /** A plain and slow way: on a copy, a token at a time. */
  function applied(document, operations) {
    const root = { value: structuredClone(document) };
    for (const { op, path, from, value } of operations) {
      const read = (pointer) => tokens(pointer).reduce(step, root);
      if (op === "test") {
        assert.deepEqual(read(path), value);
        continue;
      }
      const moved = structuredClone(op === "move" || op === "copy" ? read(from) : value);
      if (op === "move" && path === from) continue;
      if (op === "move" && path.startsWith(`${from}/`)) throw new Error("into itself");
      if (op === "move" || op === "remove") take(root, op === "move" ? from : path);
      if (op === "remove") continue;
      give(root, path, moved, op === "replace");
    }
    return root.value;
  }

  const tokens = (pointer) => ["value", ...pointer.split("/").slice(1)];

  function step(container, token) {
    assert(typeof container === "object" && container !== null);
    if (Array.isArray(container)) assert(/^\d+$/.test(token));
    assert(Object.hasOwn(container, token));
    return container[token];
  }

  function take(root, pointer) {
    const path = tokens(pointer);
    const parent = path.slice(0, -1).reduce(step, root);
    step(parent, path.at(-1));
    assert(path.length > 1);
    if (Array.isArray(parent)) parent.splice(path.at(-1), 1);
    else delete parent[path.at(-1)];
  }

  function give(root, pointer, value, mustBe) {
    const path = tokens(pointer);
    const parent = path.slice(0, -1).reduce(step, root);
    const name = path.at(-1);
    assert(typeof parent === "object" && parent !== null);
    if (mustBe) step(parent, name);
    if (!Array.isArray(parent) || mustBe) return void (parent[name] = value);
    const index = name === "-" ? parent.length : Number(name);
    assert(index <= parent.length);
    parent.splice(index, 0, value);
  }

  test("is what it would do to a copy, and what was handed out stays", () => {
    const seed = new Seed(11);
    let failures = 0;
    for (let round = 0; round < 3000; round += 1) {
      let expected = seed.json(3);
      const patched = new PatchedValue(structuredClone(expected));
      for (let count = seed.below(6); count > 0; count -= 1) {
        const shown = patched.value;
        const before = JSON.stringify(shown);
        const length = 1 + seed.below(4);
        const operations = Array.from({ length }, () => seed.operation(expected));
        let wanted;
        let isFailed = false;
        try {
          wanted = applied(expected, operations);
        } catch {
          isFailed = true;
        }
        const about = JSON.stringify({ round, expected, operations });
        if (isFailed) {
          failures += 1;
          assert.throws(() => patched.apply(operations), undefined, about);
        } else {
          assert.doesNotThrow(() => patched.apply(operations), about);
          expected = wanted;
          if (seed.chance(0.5)) assert.deepEqual(patched.value, expected, about);
        }
        assert.equal(JSON.stringify(shown), before, about);
        if (isFailed) break;
      }
    }
    assert(failures > 100 && failures < 2900, `${failures} failed`);
  });
});
