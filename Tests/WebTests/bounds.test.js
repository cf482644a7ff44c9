import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { memoryCache } from "../../Clients/Web/storecast/index.js";
import { openFree, slotsOf } from "../../Clients/Web/storecast/outbox/Slots.js";
import { readClient, readDispatches } from "../../Clients/Web/storecast/outbox/StoredText.js";
import { completion, result } from "../../Clients/Web/storecast/storage/IndexedDB.js";
import { textChanges } from "../../Clients/Web/storecast/text/textChanges.js";
import { allowsReconnect, finalCodes } from "../../Clients/Web/storecast/wire/CloseCode.js";
import { FakeLocks } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { stateOf, TestPeer, welcome } from "./support/TestPeer.js";

const limits = { message: 1 << 20, window: 1024, subscriptions: 256, depth: 64 };
const subscribed = { op: "subscribed", ref: 1, sub: 1, tag: "t", bytes: 1 };
const snapshot = (v, value) => ({ op: "snapshot", sub: 1, v, value });
const retry = { op: "reject", seq: 1, code: "unavailable", title: "Not now.", retryable: true };

describe("what a server says has bounds", () => {
  for (const [heartbeat, expected] of [[0, 1], [1, 1], [30, 30], [3600, 3600], [1e9, 3600]]) {
    test(`a heartbeat of ${heartbeat} s is one of ${expected} s`, async () => {
      const peer = new TestPeer();
      await peer.welcome({ heartbeat });
      await peer.platform.advance(expected * 1000 - 1);
      assert.deepEqual(await peer.heard(), []);
      await peer.platform.advance(1);
      assert.deepEqual(await peer.heard(), [{ op: "ping" }]);
    });
  }

  for (const [about, members, expected] of [
    ["an hour each", { after: 3600, jitter: 3600 }, 5_400_000],
    ["more", { after: 1e12, jitter: 1e12 }, 5_400_000],
    ["nothing", { after: 0, jitter: 0 }, 188],
    ["less than nothing", { after: -1e9, jitter: -1e9 }, 188],
    ["less than the client waits by itself", { after: 0.1, jitter: 0.1 }, 188],
    ["a second", { after: 1, jitter: 0 }, 1000],
  ]) {
    test(`bye may ask for two hours: for ${about}`, async () => {
      const peer = new TestPeer();
      await peer.welcome();
      await peer.say({ op: "bye", code: "x", title: "Bye.", reconnect: true, ...members });
      await peer.end(1001);
      assert.equal(peer.connection.status.retryAt - peer.platform.time(), expected);
    });
  }

  for (const [retryAfter, expected] of [
    [undefined, 1000],
    [0, 10],
    [-5, 10],
    [2, 2000],
    [1e9, 3_600_000],
  ]) {
    test(`a hold of ${retryAfter} s is one of ${expected} ms, said once or often`, async () => {
      const peer = new TestPeer();
      await peer.welcome({ heartbeat: 3600 });
      peer.connection.dispatch({ type: "a" });
      await peer.heard();
      await peer.say({ ...retry, retryAfter }, { ...retry, retryAfter: 3600 });
      await peer.say({ ...retry, retryAfter: 0.001 });
      for (let rest = expected - 1; rest > 0; rest -= 1_000_000) {
        await peer.platform.advance(Math.min(rest, 1_000_000));
        await peer.say({ op: "pong", v: 0 });
      }
      assert.deepEqual(await peer.heard(), []);
      await peer.platform.advance(1);
      assert.deepEqual((await peer.heard()).map(({ op }) => op), ["dispatch"]);
    });
  }

  test("a message holds 64 KiB of frames, whatever the server takes", async () => {
    const peer = new TestPeer();
    const action = { type: "a", payload: "x".repeat(1000) };
    for (let n = 0; n < 200; n += 1) peer.connection.dispatch(action);
    await peer.open();
    peer.socket.onmessage({ data: JSON.stringify(welcome({})) });
    await settle();
    const sizes = peer.socket.sent.map((text) => text.length);
    assert.equal(peer.socket.sent.flatMap((text) => JSON.parse(text)).length, 200);
    assert(Math.max(...sizes) <= 65_536, "none is longer");
    assert(Math.max(...sizes) > 64_000, "and none is shorter than it need be");
  });

  test("a message is as long as the server takes, to the byte", async () => {
    const action = { type: "é", payload: "x".repeat(400) };
    const sizes = {};
    for (const spare of [0, -1]) {
      const peer = new TestPeer();
      const frame = JSON.stringify({ op: "dispatch", seq: 1, base: 0, action });
      const message = 2 * new TextEncoder().encode(frame).length + "[,]".length + spare;
      await peer.open();
      peer.connection.dispatch(action);
      peer.connection.dispatch(action);
      peer.socket.onmessage({ data: JSON.stringify(welcome({ limits: { ...limits, message } })) });
      await settle();
      sizes[spare] = peer.socket.sent.length;
    }
    assert.deepEqual(sizes, { 0: 1, "-1": 2 });
  });

  test("an action leaves room for what surrounds it, in bytes and levels", async () => {
    const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    const text = JSON.stringify({ type: "a", payload: "x".repeat(500) });
    for (const [changes, action, outcome] of [
      [{ message: text.length + 250 }, JSON.parse(text), "pending"],
      [{ message: text.length + 249 }, JSON.parse(text), "invalid"],
      // The batch, the frame and the action are around it.
      [{ depth: 8 }, { type: "a", payload: nested(5) }, "pending"],
      [{ depth: 8 }, { type: "a", payload: nested(6) }, "invalid"],
      [{}, { payload: 1 }, "invalid"],
      [{}, undefined, "invalid"],
      [{}, null, "invalid"],
      [{}, { type: "a", payload: "\ud800" }, "invalid"],
      [{}, { type: "a", payload: 1n }, "invalid"],
    ]) {
      const peer = new TestPeer();
      await peer.welcome({ limits: { ...limits, ...changes } });
      assert.equal(await stateOf(peer.connection.dispatch(action)), outcome);
    }
  });

  test("parameters are as large and as deep as the server takes", async () => {
    const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    for (const [depth, levels, isRefused] of [[8, 6, false], [8, 7, true]]) {
      const peer = new TestPeer();
      await peer.welcome({ limits: { ...limits, depth } });
      const store = peer.connection.select("a", nested(levels));
      assert.equal((await peer.heard()).length, isRefused ? 0 : 1);
      assert.equal(store.problem?.code, isRefused ? "invalid-params" : undefined);
    }
    const frame = JSON.stringify({ op: "subscribe", ref: 1, select: "a", params: "é" });
    for (const spare of [0, -1]) {
      const peer = new TestPeer();
      const message = new TextEncoder().encode(frame).length + spare;
      await peer.welcome({ limits: { ...limits, message } });
      const store = peer.connection.select("a", "é");
      assert.equal(store.problem?.code, spare === 0 ? undefined : "invalid-params");
    }
    const peer = new TestPeer();
    assert.throws(() => peer.connection.select("a", 1n), TypeError);
    assert.throws(() => peer.connection.select("a", "\ud800"));
  });

  test("a trace's field is one of that form, or isn't sent", async () => {
    for (const [field, isSent] of [
      ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true],
      ["a".repeat(64), true], ["a".repeat(65), false], ["", false], ["00 01", false], ["G", false],
      [undefined, false],
    ]) {
      const peer = new TestPeer({ traceparent: () => field });
      await peer.welcome();
      peer.connection.dispatch({ type: "a" });
      const [frame] = await peer.heard();
      assert.equal(frame.traceparent, isSent ? field : undefined);
    }
  });

  test("a value of 64 MiB is taken in parts unless another size is said", async () => {
    for (const [largestValue, bytes, isTaken] of [
      [undefined, 64 << 20, true], [undefined, (64 << 20) + 1, false], [7, 7, true], [7, 8, false],
    ]) {
      const peer = new TestPeer({ largestValue });
      const store = peer.connection.select("a");
      const [hello] = await peer.welcome({ parts: 1 });
      assert.equal(hello.parts, 1);
      await peer.say(subscribed);
      peer.socket.onmessage({ data: `1 1 0 ${bytes} "` });
      await settle();
      assert.equal(store.problem?.code, isTaken ? undefined : "too-large");
      assert.equal(peer.connection.status.state, "live");
    }
    for (const [largestValue, parts] of [[0, undefined], [1, 1]]) {
      const [hello] = await new TestPeer({ largestValue }).open();
      assert.equal(hello.parts, parts);
    }
  });
});

describe("what a server must not say", () => {
  const [pong, transaction] = [{ op: "pong", v: 1 }, { op: "transaction", v: 9, count: 2 }];
  const first = [subscribed, snapshot(1, 1)];
  for (const [about, frames, trouble] of [
    [
      "before its welcome",
      ["open", pong],
      "The server spoke before its welcome.",
    ],
    [
      "before its welcome, of a selection",
      ["open", subscribed],
      "The server spoke before its welcome.",
    ],
    [
      "twice welcome",
      ["welcome", "again"],
      "The server said welcome twice.",
    ],
    [
      "parts of another form",
      ["open", "parts"],
      "The server sends parts in a form that wasn't offered.",
    ],
    [
      "a transaction in one",
      ["welcome", transaction, transaction],
      "The server began a transaction in another.",
    ],
    [
      "a selection twice in one",
      ["welcome", ...first, transaction, snapshot(2, 2), snapshot(3, 3)],
      "The server named a selection twice in one transaction.",
    ],
    [
      "parts that it didn't announce",
      ["welcome", "1 1 0 3 [1]"],
      "The server hasn't said that it sends parts.",
    ],
    [
      "a part in a transaction",
      ["announced", ...first, transaction, "1 1 0 3 [1]"],
      "The server sent a part in a transaction.",
    ],
    [
      "the end of a value that it hasn't begun",
      ["announced", ...first, "1 1 1 3 1]"],
      "The server sent a part of nothing.",
    ],
    [
      "two values at once",
      ["announced", subscribed, "1 1 0 3 [", "1 1 0 3 ["],
      "The server began a value before the last had ended.",
    ],
    [
      "another value of what is coming",
      ["announced", subscribed, "1 1 0 3 [", snapshot(1, 1)],
      "The server changed a value that was still coming.",
    ],
    [
      "what is no frame",
      ["welcome", "[]"],
      "The server sent what is no frame: A frame must be an object.",
    ],
  ]) {
    test(`${about}: the connection is made anew, and it is said why`, async () => {
      const peer = new TestPeer();
      peer.connection.select("a");
      for (const frame of frames) {
        if (frame === "open") await peer.open();
        else if (frame === "welcome") await peer.welcome({ heartbeat: 3600 });
        else if (frame === "announced") await peer.welcome({ heartbeat: 3600, parts: 1 });
        else if (frame === "again") await peer.say(welcome({}));
        else if (frame === "parts") await peer.say(welcome({ parts: 2 }));
        else if (typeof frame === "string") peer.socket.onmessage({ data: frame });
        else await peer.say(frame);
      }
      await settle();
      assert.deepEqual(peer.troubles, [trouble]);
      assert.equal(peer.connection.status.because, "The server doesn't keep to the protocol.");
    });
  }

  test("an error about nothing is said, and one about its own frames ends it", async () => {
    const error = { op: "error", title: "No.", detail: "Why." };
    for (const [members, state] of [
      [{ code: "busy" }, "live"], [{ code: "malformed" }, "refused"],
      [{ code: "invalid-frame", seq: 1 }, "refused"], [{ code: "forbidden", ref: 9 }, "live"],
    ]) {
      const peer = new TestPeer();
      await peer.welcome();
      await peer.say({ ...error, ...members });
      assert.equal(peer.connection.status.state, state, members.code);
      const isSaid = members.code === "busy";
      assert.equal(peer.troubles.length, isSaid ? 1 : 0);
      if (isSaid) assert.match(peer.troubles[0], /^The server could not use a frame: No\./);
      if (state === "refused") assert.equal(peer.connection.status.code, members.code);
    }
  });

  test("it is logged as a warning if the program doesn't take it", async (t) => {
    const logged = [];
    t.mock.method(console, "warn", (...words) => logged.push(words));
    const peer = new TestPeer({ onTrouble: undefined });
    await peer.open();
    await peer.say(pong);
    assert.deepEqual(logged, [["storecast: The server spoke before its welcome."]]);
  });

  test("so is an option that there isn't", () => {
    const peer = new TestPeer({ onRejectd: () => {}, retries: 3, largestValue: 5 });
    const named = ["There is no option 'onRejectd'.", "There is no option 'retries'."];
    assert.deepEqual(peer.troubles, named);
    peer.connection.select("board", undefined, { optimistc: () => {} });
    assert.equal(peer.troubles.at(-1), "There is no option 'optimistc'.");
  });
});

describe("close codes", () => {
  test("of the server's and of WebSocket's say whether a client comes back", () => {
    const known = [1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1015];
    const back = known.filter(allowsReconnect);
    assert.deepEqual(back, [1001, 1002, 1005, 1006, 1011, 1012, 1015]);
    const own = [3000, 4000, 4005, 4099, 4100, 4106, 4199, 4200, 4999];
    assert.deepEqual(own.filter(allowsReconnect), [3000, 4000, 4005, 4099, 4200, 4999]);
  });

  test("have the words that the status has", async () => {
    for (const [code, word] of finalCodes) {
      assert(!allowsReconnect(code));
      const peer = new TestPeer();
      await peer.welcome();
      await peer.end(code, "Because.");
      const expected = { state: "refused", code: word, because: "Because." };
      assert.deepEqual(peer.connection.status, expected);
    }
  });
});

describe("a cache's sizes, if nothing is said of them", () => {
  /** The selections that are kept of these values. */
  async function kept(values, cache = {}) {
    const storage = memoryCache();
    const platform = new ManualPlatform();
    const peer = new TestPeer({ platform, cache: { storage, viewer: "", ...cache } });
    for (const name of Object.keys(values)) peer.connection.select(name);
    await peer.welcome({ v: 1, heartbeat: 3600 });
    for (const [place, value] of Object.values(values).entries()) {
      await peer.say({ ...subscribed, ref: place + 1, sub: place + 1 });
      await peer.say({ ...snapshot(1, value), sub: place + 1 });
    }
    await peer.connection.saveCache();
    const [text = ""] = storage.values.values();
    const index = text.slice(text.indexOf(" ") + 1, text.indexOf("\n"));
    return index === "" ? [] : JSON.parse(index).mirrors.map(({ select }) => select);
  }
  /** As long as JSON. */
  const text = (characters) => "x".repeat(characters - 2);

  test("are a million characters a state", async () => {
    assert.deepEqual(await kept({ a: text(1_000_000), b: text(1_000_001) }), ["a"]);
    assert.deepEqual(await kept({ a: text(5), b: text(6) }, { selectionCharacters: 5 }), ["a"]);
  });

  test("and four million in all", async () => {
    const large = text(999_000);
    assert.deepEqual(await kept({ a: large, b: large, c: large, d: large }), ["a", "b", "c", "d"]);
    const most = text(1_000_000);
    assert.deepEqual(await kept({ a: most, b: most, c: most, d: most }), ["b", "c", "d"]);
  });

  test("and ten seconds between two changes, one before the first", async () => {
    for (const [interval, first, next] of [
      [undefined, 1000, 10_000],
      [500, 500, 500],
      [3000, 1000, 3000],
    ]) {
      const storage = memoryCache();
      let writes = 0;
      const set = (key, value) => ((writes += 1), storage.set(key, value));
      const peer = new TestPeer({ cache: { storage: { ...storage, set }, viewer: "", interval } });
      peer.connection.select("a");
      await peer.welcome({ v: 1, heartbeat: 3600 });
      await peer.say(subscribed);
      for (const [pause, v] of [[first, 1], [next, 2]]) {
        await peer.say(snapshot(v, v));
        await peer.platform.advance(pause - 1);
        assert.equal(writes, v - 1);
        await peer.platform.advance(1);
        assert.equal(writes, v);
      }
    }
  });
});

describe("what a storage held", () => {
  const client = "c".repeat(16);
  const action = '{"type":"a"}';
  const dispatch = (seq, members) => ({ seq, base: 0, epoch: "", action, ...members });

  test("is a client's if its id is one", () => {
    for (const id of [client, "c".repeat(64), `${client}-_Az09`]) {
      const found = { client: id, settled: 3, opening: 4 };
      assert.deepEqual(readClient({ ...found, more: 1 }), found);
    }
    for (const opening of [undefined, -1, 1.5, "1", 2 ** 53]) {
      assert.equal(readClient({ client, settled: 0, opening }).opening, 0);
    }
    for (const wrong of [
      undefined,
      null,
      [],
      "",
      { settled: 0 },
      { client },
      { client: 7, settled: 0 },
      { client: "c".repeat(15), settled: 0 },
      { client: "c".repeat(65), settled: 0 },
      { client: `${client} `, settled: 0 },
      { client: `${client}\n`, settled: 0 },
      { client, settled: -1 },
      { client, settled: 0.5 },
      { client, settled: "0" },
      { client, settled: 2 ** 53 },
    ]) {
      assert.throws(() => readClient(wrong), /The outbox can't be read/);
    }
  });

  test("is dispatches if none is missing", () => {
    const read = (values, settled) => readDispatches(values, settled).map(({ seq }) => seq);
    assert.deepEqual(read([dispatch(5), dispatch(3), dispatch(4), dispatch(2)], 2), [3, 4, 5]);
    assert.deepEqual(read([], 7), []);
    for (const seqs of [[4], [3, 5], [3, 3]]) {
      assert.throws(() => read(seqs.map((seq) => dispatch(seq)), 2), /isn't whole/);
    }
    for (const members of [
      { seq: -1 }, { seq: "3" }, { base: -1 }, { base: null }, { epoch: 7 }, { action: 7 },
      { action: '{"type":7}' }, { action: "{" },
    ]) {
      assert.throws(() => read([dispatch(3, members)], 2));
    }
    assert.deepEqual(readDispatches([dispatch(1, { more: 1 })], 0), [dispatch(1)]);
  });
});

describe("the slots of a room's outboxes", () => {
  const names = ["a", "b", "c"];
  const opened = async (name) => ({ contents: name, write: () => {}, close: () => {} });

  test("are sixteen, for each room and name", () => {
    const all = slotsOf("outbox", "ws://a/");
    assert.equal(all[15], "storecast outbox 15 ws://a/");
    for (const others of [slotsOf("outbox", "ws://b/"), slotsOf("other", "ws://a/")]) {
      assert.equal(new Set([...all, ...others]).size, 32);
    }
  });

  test("are opened in order, those with dispatches first, until one is free", async () => {
    const locks = new FakeLocks();
    const found = [];
    for (let tab = 0; tab < 3; tab += 1) {
      found.push((await openFree(locks, names, ["c"], opened)).contents);
    }
    assert.deepEqual(found, ["c", "a", "b"]);
    const problem = { code: "outbox-locked", detail: "All are in use." };
    await assert.rejects(openFree(locks, names, [], opened), problem);
  });

  test("are free again when they are closed, and not before", async () => {
    const locks = new FakeLocks();
    const events = [];
    const open = async (name) => ({ ...(await opened(name)), close: () => events.push("closed") });
    const outbox = await openFree(locks, ["a"], [], open);
    await assert.rejects(openFree(locks, ["a"], [], open));
    outbox.close();
    await settle();
    assert.deepEqual(events, ["closed"]);
    await openFree(locks, ["a"], [], open);
  });

  test("are passed over, and left to others, if they can't be opened", async () => {
    const locks = new FakeLocks();
    const open = async (name) => {
      if (name !== "c") throw new Error(`${name} is damaged`);
      return opened(name);
    };
    assert.equal((await openFree(locks, names, [], open)).contents, "c");
    const problem = { code: "outbox-locked", detail: "Error: b is damaged" };
    await assert.rejects(openFree(locks, names, [], open), problem);
    const next = await openFree(locks, names, [], opened);
    assert.equal(next.contents, "a", "its lock was given back");
  });

  test("need locks, and what these say is said", async () => {
    await assert.rejects(openFree(undefined, names, [], opened), (error) => {
      assert.equal(error.code, "outbox-locked");
      return /https/.test(error.detail);
    });
    const broken = { request: () => Promise.reject(new Error("no locks")) };
    await assert.rejects(openFree(broken, names, [], opened), /no locks/);
  });
});

describe("a request to IndexedDB", () => {
  test("brings its result, or its error", async () => {
    const [good, bad] = [{ result: 7 }, { error: new Error("no") }];
    const found = [result(good), result(bad)];
    good.onsuccess();
    bad.onerror();
    assert.equal(await found[0], 7);
    await assert.rejects(found[1], bad.error);
    const [kept, lost] = [{}, { error: new Error("full") }];
    const ends = [completion(kept), completion(lost)];
    kept.oncomplete();
    lost.onabort();
    await ends[0];
    await assert.rejects(ends[1], lost.error);
  });
});

describe("a value that was too large", () => {
  test("is followed no longer, whatever the server says until it has heard of it", async () => {
    const peer = new TestPeer({ largestValue: 3 });
    const store = peer.connection.select("tea");
    await peer.welcome({ parts: 1 });
    await peer.say(subscribed);
    peer.socket.onmessage({ data: "1 1 0 4 [1" });
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
    const ops = [{ op: "replace", path: "", value: 6 }];
    const patch = { op: "patch", sub: 1, from: 1, v: 2, ops };
    const lapse = { op: "lapse", sub: 1, code: "renewed" };
    assert.deepEqual(await peer.say(snapshot(1, 5), patch, lapse), []);
    assert.equal(store.getState(), undefined);
    assert.equal(store.problem.code, "too-large");
    assert.deepEqual(peer.troubles, []);
  });
});

describe("the changes of a text", () => {
  for (const [old, text, expected] of [
    ["b c", "a b d", [[0, 0, "a "], [2, 1, "d"]]],
    ["a b c", "b d", [[0, 2, ""], [4, 1, "d"]]],
    ["a b", "b a", [[0, 2, ""], [3, 0, " a"]]],
    ["tea", "ten", [[0, 3, "ten"]]],
    ["", "tea", [[0, 0, "tea"]]],
    ["tea", "", [[0, 3, ""]]],
    ["tea", "tea", []],
  ]) {
    test(`"${old}" to "${text}" leave the words that both have`, () => {
      const changes = textChanges([...old], [...text], 100);
      const found = changes.map((change) => [change.at, change.delete, change.insert]);
      assert.deepEqual(found, expected);
    });
  }

  test("are one if they would be more than wanted", () => {
    const [old, text] = [[..."a b c d"], [..."x b c y"]];
    assert.equal(textChanges(old, text, 2).length, 2);
    assert.deepEqual(textChanges(old, text, 1), [{ at: 0, delete: 7, insert: "x b c y" }]);
  });
});
