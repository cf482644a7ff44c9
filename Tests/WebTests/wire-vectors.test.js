import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import { PartedValue } from "../../Clients/Web/storecast/session/PartedValue.js";
import * as client from "../../Clients/Web/storecast/wire/ClientFrame.js";
import { allowsReconnect, finalCodes } from "../../Clients/Web/storecast/wire/CloseCode.js";
import { readJSON } from "../../Clients/Web/storecast/wire/JSONText.js";
import { PatchedValue } from "../../Clients/Web/storecast/wire/PatchedValue.js";
import { readServerFrame } from "../../Clients/Web/storecast/wire/ServerFrame.js";
import { isPart, readPart } from "../../Clients/Web/storecast/wire/SnapshotPart.js";

const vectors = new URL("../Vectors/", import.meta.url);

function texts(folder) {
  const files = readdirSync(new URL(folder, vectors)).sort();
  return files.map((file) => readFileSync(new URL(folder + file, vectors), "utf8"));
}

const frames = texts("frames/").map((text) => JSON.parse(text));
const fromServer = frames.filter(({ direction }) => direction === "server");
const fromClient = frames.filter(({ direction }) => direction === "client");

describe("frames of the server", () => {
  for (const { name, frame } of fromServer.filter(({ error }) => !error)) {
    test(`${name} is read as it is`, () => {
      assert.deepEqual(readServerFrame(JSON.stringify(frame)), frame);
    });
  }

  for (const { name, frame, error } of fromServer.filter(({ error }) => error)) {
    test(`${name} is no frame, or one to pass over`, () => {
      const read = () => readServerFrame(JSON.stringify(frame));
      if (error.code === "unknown-op") assert.equal(read(), undefined);
      else assert.throws(read, { name: "FrameError", code: error.code });
    });
  }
});

/** The same frame, as this client writes it. */
const writers = {
  hello: ({ client: id, connection, settled = 0, seen, term, token, parts }) =>
    client.writeHello({
      client: id,
      connection,
      settled,
      seen: seen && { epoch: seen.epoch, version: seen.v },
      term,
      token,
      parts,
    }),
  subscribe: ({ ref, select, params, at }) => client.writeSubscribe({ ref, select, params, at }),
  unsubscribe: ({ ref }) => client.writeUnsubscribe(ref),
  dispatch: ({ seq, base, settled = 0, action }) =>
    client.writeDispatch({ seq, base, settled }, JSON.stringify(action)),
  authenticate: ({ token }) => client.writeAuthenticate(token),
  ping: () => client.writePing(),
};

/** As JavaScript can write it: −0 is 0, and what is left out is left out. */
function plain(frame) {
  return JSON.parse(JSON.stringify(frame));
}

describe("frames of the client", () => {
  // This client never says those: it speaks version 1, knows no other members, and is no edge.
  const others = [
    "hello-other-version", "hello-unknown-members", "hello-edge", "hello-vouched", "mirror",
    "mirror-at", "vouch",
  ];
  const valid = fromClient.filter(({ name, error }) => !error && !others.includes(name));
  for (const { name, frame } of valid) {
    test(`${name} is written so`, () => {
      const { settled, ...rest } = plain(frame);
      const { settled: written, ...others } = JSON.parse(writers[frame.op](frame));
      assert.deepEqual(others, rest);
      assert.equal(written ?? 0, settled ?? 0);
    });
  }

  test("there are vectors for all of them", () => {
    const ops = new Set(valid.map(({ frame }) => frame.op));
    assert.deepEqual(ops, new Set(Object.keys(writers)));
  });
});

describe("malformed messages", () => {
  // Limits of a server: a client takes texts of any size, nested up to 512 levels.
  const ofServer = ["long-number", "too-deep"];
  const all = texts("malformed/").map((text) => JSON.parse(text));
  const texted = all.filter(({ level, name }) => level !== "socket" && !ofServer.includes(name));
  for (const { name, message, repeat, answers } of texted) {
    const text = message ?? written(repeat);
    const isMalformed = /^malformed/.test(name) || answers.some(({ code }) => code === "malformed");
    test(`${name} is ${isMalformed ? "not JSON" : "JSON"} here too`, () => {
      if (isMalformed) assert.throws(() => readJSON(text), { code: "malformed" });
      else assert.deepEqual(readJSON(text), JSON.parse(text));
    });
  }

  function written({ prefix, open, close, times, suffix }) {
    return prefix + open.repeat(times) + close.repeat(times) + suffix;
  }
});

describe("parts of values", () => {
  for (const text of texts("parts/")) {
    const { name, messages, sub, v, value, fails } = JSON.parse(text);
    test(`${name}`, () => {
      const take = () => {
        const parts = messages.map((message) => (assert(isPart(message)), readPart(message)));
        const parted = new PartedValue(parts[0], true);
        for (const part of parts) parted.append(part);
        return parted;
      };
      if (fails) return assert.throws(take, { name: "FrameError" });
      const parted = take();
      assert(parted.isComplete);
      const snapshot = { op: "snapshot", sub, v, value };
      assert.deepEqual(parted.snapshot({ op: "current", sub, v }), snapshot);
    });
  }
});

describe("patches", () => {
  for (const text of texts("patches/")) {
    const { name, before, frames: patches, after, fails } = JSON.parse(text);
    test(`${name}`, () => {
      const patched = new PatchedValue(before);
      const shown = patched.value;
      const then = JSON.stringify(shown);
      const apply = () => patches.forEach(({ ops }) => patched.apply(ops));
      if (fails) assert.throws(apply);
      else apply();
      if (!fails) assert.deepEqual(patched.value, after);
      assert.equal(JSON.stringify(shown), then, "what was handed out has changed");
    });
  }
});

describe("values of Swift types", () => {
  const values = JSON.parse(readFileSync(new URL("values.json", vectors), "utf8"));
  for (const { text, integer } of values.integers.filter(({ integer }) => integer)) {
    test(`${text} is exact, or too large to be taken for an integer`, () => {
      const number = readJSON(text);
      if (Number.isSafeInteger(number)) assert.equal(BigInt(number), BigInt(integer));
      else assert(BigInt(integer) >= 2n ** 53n || BigInt(integer) <= -(2n ** 53n));
    });
  }

  for (const { bytes, text } of values.bytes) {
    test(`"${text}" is ${bytes.length} bytes`, () => {
      assert.deepEqual([...Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], bytes);
      assert.equal(btoa(String.fromCharCode(...bytes)), text);
    });
  }
});

describe("close codes", () => {
  const table = JSON.parse(readFileSync(new URL("close-codes.json", vectors), "utf8"));
  for (const { code, word, reconnect } of table) {
    test(`${code} is ${word}`, () => {
      // After the others it comes back, and nobody hears of a word.
      assert.equal(finalCodes.get(code), reconnect ? undefined : word);
      assert.equal(allowsReconnect(code), reconnect);
    });
  }

  test("there are no others", () => {
    assert.equal(finalCodes.size, table.filter(({ reconnect }) => !reconnect).length);
  });

  test("codes that aren't in the table mean what their range says", () => {
    for (const code of [1005, 1006, 1012, 3000, 4003, 4099, 4200]) assert(allowsReconnect(code));
    for (const code of [1008, 1010, 4106, 4199]) assert(!allowsReconnect(code));
  });
});
