import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { connect, localStorageOutbox, memoryCache } from "../../Clients/Web/storecast/index.js";
import { Rejection } from "../../Clients/Web/storecast/wire/Rejection.js";
import { FakeLocks, FakeStorage } from "./support/FakeStorage.js";
import { fakeWebSocket } from "./support/FakeSocket.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { stateOf, TestPeer } from "./support/TestPeer.js";

const bye = (members) => ({ op: "bye", code: "x", title: "Bye.", reconnect: true, ...members });
const retry = (seq, retryAfter) => {
  const reject = { op: "reject", seq, code: "unavailable", title: "Not now.", retryable: true };
  return retryAfter === undefined ? reject : { ...reject, retryAfter };
};
const ops = (frames) => frames.map(({ op }) => op);

/** How long a peer waits from now until it connects again, in milliseconds. */
const wait = (peer) => peer.connection.status.retryAt - peer.platform.time();

/** An outbox whose writes end when a test ends them. */
const slowOutbox = () => {
  const ends = [];
  const contents = { client: "c".repeat(32), settled: 0, dispatches: [], opening: 1 };
  const write = () => new Promise((resolve) => ends.push(resolve));
  return { ends, outbox: { open: async () => ({ contents, write, close: () => {} }) } };
};

describe("what belongs to a connection ends with it", () => {
  test("a hold: the timer of an older one doesn't end a newer one", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 3600 });
    peer.connection.dispatch({ type: "a" });
    await peer.heard();
    await peer.say(retry(1, 10));
    await peer.cut();
    await peer.welcome({ heartbeat: 3600 });
    await peer.say(retry(1, 20));
    await peer.platform.advance(19_999);
    assert.deepEqual(await peer.heard(), []);
    await peer.platform.advance(1);
    assert.deepEqual(ops(await peer.heard()), ["dispatch"]);
  });

  test("the wait for a newer token", async () => {
    let count = 0;
    const peer = new TestPeer({ token: () => ((count += 1), "one") });
    await peer.welcome({ heartbeat: 3600 });
    await peer.say({ op: "renew", within: 60 });
    assert.equal(count, 2);
    await peer.cut();
    await peer.welcome({ heartbeat: 3600 });
    assert.equal(count, 3);
    await peer.platform.advance(120_000);
    assert.equal(count, 3);
  });

  test("the heartbeat", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 30 });
    await peer.platform.advance(10_000);
    await peer.cut();
    await peer.welcome({ heartbeat: 3600 });
    await peer.platform.advance(100_000);
    assert.deepEqual(await peer.heard(), []);
    assert.equal(peer.connection.status.state, "live");
  });

  test("how long it was live: failures behind it go on being counted", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 3600 });
    await peer.platform.advance(1000);
    const waits = [];
    for (let failure = 0; failure < 6; failure += 1) {
      await peer.platform.advance(0);
      await peer.end();
      waits.push(wait(peer));
      await peer.platform.advance(waits.at(-1));
    }
    assert.deepEqual(waits, [188, 375, 750, 1500, 3000, 6000]);
  });

  test("since when it was away: that counts from each loss, and from the first try", async () => {
    const peer = new TestPeer();
    await peer.platform.advance(3000);
    await peer.end();
    assert.equal(peer.connection.status.since, 1_000_000);
    await peer.platform.advance(wait(peer));
    await peer.welcome({ heartbeat: 3600 });
    await peer.platform.advance(7000);
    await peer.end();
    assert.equal(peer.connection.status.since, peer.platform.time());
  });

  test("what bye asked for", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 3600 });
    await peer.say(bye({ code: "kicked", reconnect: false, after: 0, jitter: 0 }));
    await peer.end(1001);
    assert.equal(peer.connection.status.code, "kicked");
    peer.connection.reconnect();
    await peer.platform.advance(0);
    await peer.end(1006);
    assert.equal(peer.connection.status.state, "offline");
  });

  test("its token: one that can't be had any more says nothing to the next", async () => {
    for (const isClosed of [true, false]) {
      const failures = [];
      const token = () => new Promise((_, reject) => failures.push(reject));
      const peer = new TestPeer({ token });
      await peer.platform.advance(0);
      if (isClosed) peer.connection.close();
      else await peer.platform.advance(20_000 + 375);
      const { status } = peer.connection;
      failures[0](new Error("late"));
      await peer.platform.advance(0);
      assert.equal(peer.connection.status, status);
      assert.equal(peer.sockets.length, 0);
    }
  });
});

describe("a connection that goes on", () => {
  const subscribed = (ref) => ({ op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 });
  const snapshot = (sub, v, value) => ({ op: "snapshot", sub, v, value });

  test("knows nothing of a transaction that the last one didn't survive", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("tea");
    await peer.welcome({ heartbeat: 3600 });
    await peer.say(subscribed(1), snapshot(1, 0, 1), { op: "transaction", v: 9, count: 2 });
    await peer.cut();
    const [, { ref }] = await peer.welcome({ heartbeat: 3600, v: 9 });
    await peer.say(subscribed(ref), snapshot(ref, 9, 2), { op: "transaction", v: 10, count: 0 });
    assert.equal(store.getState(), 2);
    assert.deepEqual(peer.troubles, []);
    assert.equal(peer.connection.status.state, "live");
  });

  test("asks once after a silence, whatever the network did before", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 30 });
    await peer.platform.advance(10_000);
    peer.platform.networkChanges();
    assert.deepEqual(ops(await peer.heard()), ["ping"]);
    await peer.say({ op: "pong", v: 0 });
    await peer.platform.advance(29_999);
    assert.deepEqual(await peer.heard(), []);
    await peer.platform.advance(1);
    assert.deepEqual(ops(await peer.heard()), ["ping"]);
  });

  test("takes no rejection of what it hasn't sent yet", async () => {
    const peer = new TestPeer();
    const { connection } = peer;
    const outcomes = ["a", "b"].map((type) => connection.dispatch({ type }));
    const limits = { message: 1 << 20, window: 1, subscriptions: 256, depth: 64 };
    const frames = await peer.welcome({ heartbeat: 3600, limits });
    assert.deepEqual(frames.map(({ seq }) => seq).filter(Boolean), [1]);
    await peer.say({ op: "reject", seq: 2, code: "no", title: "No.", retryable: false });
    const next = await peer.say({ op: "transaction", v: 1, count: 0, acked: 1 });
    assert.deepEqual(next.map(({ seq }) => seq), [2]);
    await peer.say({ op: "transaction", v: 2, count: 0, acked: 2 });
    const versions = await Promise.all(outcomes);
    assert.deepEqual(versions.map(({ version }) => version), [1, 2]);
  });

  test("sends nothing in a new history before its outbox has written that", async () => {
    const { outbox, ends } = slowOutbox();
    const peer = new TestPeer({ outbox });
    await peer.welcome({ heartbeat: 3600, v: 3 });
    peer.connection.dispatch({ type: "a" });
    assert.deepEqual(await peer.heard(), []);
    ends[0]();
    assert.deepEqual((await peer.heard()).map(({ base }) => base), [3]);
    await peer.cut();
    const said = await peer.welcome({ heartbeat: 3600, epoch: "e".repeat(32), v: 2 });
    assert.deepEqual(ops(said), ["hello"]);
    assert.equal(ends.length, 2);
    ends[1]();
    assert.deepEqual((await peer.heard()).map(({ base }) => base), [2]);
  });

  test("has one value for two stores whose parameters the server finds equal", async () => {
    const peer = new TestPeer();
    const [one, other] = [1, 2].map((n) => peer.connection.select("tea", { n }));
    await peer.welcome({ heartbeat: 3600 });
    const patch = (from, value) => {
      const ops = [{ op: "replace", path: "", value }];
      return { op: "patch", sub: 9, from, v: from + 1, ops };
    };
    await peer.say({ ...subscribed(1), sub: 9 }, snapshot(9, 1, "a"), patch(1, "b"));
    await peer.say({ ...subscribed(2), sub: 9 });
    assert.deepEqual([one.getState(), other.getState()], ["b", "b"]);
    assert.deepEqual(await peer.say(patch(2, "c")), []);
    assert.deepEqual([one.getState(), other.getState()], ["c", "c"]);
    assert.deepEqual(peer.troubles, []);
  });

  test("is told of as pending or not, and not of states", async () => {
    const peer = new TestPeer();
    const { connection } = peer;
    connection.select("tea");
    await peer.welcome({ heartbeat: 3600 });
    await peer.say(subscribed(1));
    const counts = [];
    connection.subscribe(() => counts.push(connection.pendingCount));
    await peer.say(snapshot(1, 1, 1), snapshot(1, 2, 2));
    assert.deepEqual(counts, []);
    connection.dispatch({ type: "a" });
    await settle();
    assert.deepEqual(counts, [1]);
    await peer.say({ op: "transaction", v: 3, count: 0, acked: 1 });
    assert.deepEqual(counts, [1, 0]);
  });
});

describe("a connection that is closed", () => {
  const states = {
    connecting: async () => {},
    greeting: (peer) => peer.open(),
    live: (peer) => peer.welcome(),
    held: async (peer) => {
      await peer.welcome();
      peer.connection.dispatch({ type: "a" });
      await peer.heard();
      await peer.say(retry(1, 60), { op: "renew", within: 60 });
    },
    offline: async (peer) => {
      await peer.welcome();
      await peer.end();
    },
    refused: async (peer) => {
      await peer.open();
      await peer.end(4102);
    },
  };
  for (const [state, reach] of Object.entries(states)) {
    test(`while it was ${state} leaves no timer and no watcher`, async () => {
      const platform = new ManualPlatform();
      let hiders = 0;
      platform.watchHiding = () => {
        hiders += 1;
        return () => (hiders -= 1);
      };
      const cache = { storage: memoryCache(), viewer: "ada" };
      const peer = new TestPeer({ platform, cache, token: () => "one" });
      await platform.advance(0);
      await reach(peer);
      assert.deepEqual([platform.watchers, hiders], [1, 1]);
      peer.connection.close();
      await settle();
      assert.equal(platform.nextDue, Infinity);
      assert.deepEqual([platform.watchers, hiders], [0, 0]);
      assert.deepEqual(peer.connection.status, { state: "closed" });
      const { length } = peer.sockets;
      peer.connection.reconnect();
      peer.connection.close();
      await platform.advance(100_000);
      assert.equal(peer.sockets.length, length);
      assert.deepEqual(peer.connection.status, { state: "closed" });
      assert.deepEqual([platform.watchers, hiders], [0, 0]);
      if (length > 0 && state !== "offline" && state !== "refused") {
        assert.equal(peer.socket.closeCode, 1000);
      }
    });
  }

  test("before it has read its cache makes no connection", async () => {
    let goOn;
    const get = () => new Promise((resolve) => (goOn = resolve));
    const peer = new TestPeer({ cache: { storage: { ...memoryCache(), get }, viewer: "ada" } });
    await settle();
    peer.connection.close();
    goOn(undefined);
    await peer.platform.advance(100_000);
    assert.equal(peer.sockets.length, 0);
    assert.equal(peer.platform.nextDue, Infinity);
  });

  test("lets go of an outbox that is opened only then", async () => {
    let closed = 0;
    let opened;
    const outbox = { open: () => new Promise((resolve) => (opened = resolve)) };
    const peer = new TestPeer({ outbox });
    await settle();
    peer.connection.close();
    const contents = { client: "c".repeat(32), settled: 0, dispatches: [], opening: 1 };
    opened({ contents, write: async () => {}, close: () => (closed += 1) });
    await peer.platform.advance(100_000);
    assert.deepEqual([closed, peer.sockets.length], [1, 0]);
  });

  test("lets go of its outbox once, and doesn't try to write it again", async () => {
    let closed = 0;
    const contents = { client: "c".repeat(32), settled: 0, dispatches: [], opening: 1 };
    const write = () => Promise.reject(new Error("full"));
    const outbox = { open: async () => ({ contents, write, close: () => (closed += 1) }) };
    const peer = new TestPeer({ outbox });
    await peer.welcome();
    peer.connection.dispatch({ type: "a" });
    await settle();
    assert.equal(peer.connection.outboxProblem.code, "outbox-unwritable");
    peer.connection.close();
    peer.connection.close();
    await settle();
    assert.equal(closed, 1);
    assert.equal(peer.platform.nextDue, Infinity);
  });

  test("writes nothing of its outbox that wasn't on its way", async () => {
    const { outbox, ends } = slowOutbox();
    const peer = new TestPeer({ outbox });
    await peer.welcome();
    for (const type of ["a", "b"]) peer.connection.dispatch({ type });
    await settle();
    assert.equal(ends.length, 1, "one after the other");
    peer.connection.close();
    ends[0]();
    await settle();
    assert.equal(ends.length, 1);
  });

  test("takes nothing more", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    const before = peer.connection.dispatch({ type: "a" });
    peer.connection.close();
    assert.equal(await stateOf(before), "closed");
    assert.equal(await stateOf(peer.connection.dispatch({ type: "b" })), "closed");
    assert.equal(peer.connection.pendingCount, 0);
  });
});

describe("to reconnect", () => {
  test("counts failures from the beginning", async () => {
    const peer = new TestPeer();
    for (let failure = 0; failure < 5; failure += 1) {
      await peer.platform.advance(0);
      await peer.cut();
    }
    await peer.end();
    assert(wait(peer) > 5000);
    peer.connection.reconnect();
    await peer.platform.advance(0);
    await peer.end();
    assert.equal(wait(peer), 188);
  });

  test("does nothing to a connection that is there, or under way", async () => {
    const peer = new TestPeer();
    await peer.platform.advance(0);
    peer.connection.reconnect();
    await peer.welcome();
    peer.connection.reconnect();
    await peer.platform.advance(0);
    assert.equal(peer.sockets.length, 1);
    assert.equal(peer.connection.status.state, "live");
  });

  test("is of no use where a program may not connect, which is said", async () => {
    const platform = new ManualPlatform();
    class Forbidden {
      constructor() {
        throw new SyntaxError("mixed content");
      }
    }
    const connection = connect("ws://test/", { WebSocket: Forbidden, platform });
    await platform.advance(0);
    const because = "This program can't connect there. SyntaxError: mixed content";
    const { status } = connection;
    assert.equal(status.state, "refused");
    assert.equal(status.code, "unusable-url");
    assert(because.startsWith(status.because), status.because);
    connection.close();
  });
});

describe("a token", () => {
  test("that was shown is the one to be renewed", async () => {
    let count = 0;
    const peer = new TestPeer({ token: () => ((count += 1), count === 1 ? "one" : "two") });
    await peer.welcome({ heartbeat: 3600 });
    peer.connection.authenticate("two");
    assert.deepEqual(await peer.heard(), [{ op: "authenticate", token: "two" }]);
    assert.deepEqual(await peer.say({ op: "renew", within: 60 }), [], "it has that already");
    assert.equal(count, 2);
  });

  test("is asked for once at a time, and by the newest deadline", async () => {
    const answers = [];
    const peer = new TestPeer({ token: () => new Promise((answer) => answers.push(answer)) });
    await peer.platform.advance(0);
    answers[0]("one");
    await peer.welcome({ heartbeat: 3600 });
    await peer.say({ op: "renew", within: 60 }, { op: "renew", within: 20 });
    assert.equal(answers.length, 2);
    answers[1]("one");
    await peer.platform.advance(9_999);
    assert.equal(answers.length, 2);
    await peer.platform.advance(1);
    assert.equal(answers.length, 3);
    answers[2]("two");
    assert.deepEqual(await peer.heard(), [{ op: "authenticate", token: "two" }]);
  });

  test("that is the same is asked for by the newest deadline alone", async () => {
    let count = 0;
    const peer = new TestPeer({ token: () => ((count += 1), "one") });
    await peer.welcome({ heartbeat: 3600 });
    for (const within of [60, 50]) await peer.say({ op: "renew", within });
    assert.equal(count, 3);
    await peer.platform.advance(25_000);
    assert.equal(count, 4);
    await peer.platform.advance(12_499);
    assert.equal(count, 4);
    await peer.platform.advance(1);
    assert.equal(count, 5);
  });

  test("may be none: then nothing is shown, nor asked for again", async () => {
    let count = 0;
    const peer = new TestPeer({ token: () => ((count += 1), count === 1 ? "one" : undefined) });
    await peer.welcome({ heartbeat: 3600 });
    assert.deepEqual(await peer.say({ op: "renew", within: 60 }), []);
    await peer.platform.advance(120_000);
    assert.equal(count, 2);
  });

  test("isn't shown to a server that hasn't said welcome", async () => {
    const peer = new TestPeer({ token: "one" });
    await peer.open();
    peer.connection.authenticate("two");
    assert.deepEqual(await peer.heard(), []);
    await peer.cut();
    peer.connection.authenticate("three");
    const hello = await peer.open();
    assert.deepEqual(ops(hello), ["hello"]);
  });
});

describe("an outbox that can't be opened", () => {
  const cases = [
    [new Error("broken"), "outbox-unreadable", "The outbox can't be opened.", "Error: broken"],
    [new Rejection("outbox-locked", "In use.", "d"), "outbox-locked", "In use.", "d"],
  ];
  for (const [error, code, title, detail] of cases) {
    test(`is in memory, and ${code} says so`, async () => {
      const outbox = { open: () => Promise.reject(error) };
      const peer = new TestPeer({ outbox });
      const pending = peer.connection.dispatch({ type: "a" });
      assert.deepEqual(ops(await peer.welcome()), ["hello", "dispatch"]);
      const { outboxProblem } = peer.connection;
      assert.deepEqual([outboxProblem.code, outboxProblem.detail], [code, detail]);
      assert.equal(peer.troubles.length, 1);
      assert(peer.troubles[0].startsWith(title));
      await peer.say({ op: "transaction", v: 1, count: 0, acked: 1 });
      assert.equal((await pending).version, 1);
    });
  }

  test("is told to those who listen to the connection", async () => {
    let told = 0;
    const peer = new TestPeer({ outbox: { open: () => Promise.reject(new Error("x")) } });
    peer.connection.subscribe(() => (told += peer.connection.outboxProblem ? 1 : 0));
    await settle();
    assert(told > 0);
  });

  test("is what a client is that was given another's id", async () => {
    const storage = new FakeStorage();
    const outbox = localStorageOutbox("o", { storage, locks: new FakeLocks() });
    const platform = new ManualPlatform();
    const peer = new TestPeer({ outbox, platform });
    const [{ client }] = await peer.welcome();
    peer.connection.close();
    await settle();
    const stored = JSON.parse(storage.getItem(storage.keys[0]));
    assert.equal(stored.client, client);
    storage.setItem(storage.keys[0], JSON.stringify({ ...stored, client: "short" }));
    const next = new TestPeer({ outbox, platform });
    const [hello] = await next.welcome();
    assert.notEqual(hello.client, "short");
    assert.notEqual(hello.client, client, "another slot is another client");
  });
});

describe("a cache that is slow, or unwanted", () => {
  const cacheOf = (get, storage = memoryCache()) => ({
    storage: { ...storage, get },
    viewer: "ada",
  });

  test("has its time, and leaves no timer when it has answered", async () => {
    let goOn;
    const get = () => new Promise((resolve) => (goOn = resolve));
    const peer = new TestPeer({ cache: cacheOf(get) });
    await settle();
    assert.equal(peer.platform.nextDue, 2000);
    await peer.platform.advance(1999);
    assert.equal(peer.sockets.length, 0);
    goOn(undefined);
    await settle();
    assert.equal(peer.sockets.length, 1);
    assert.equal(peer.platform.nextDue, 21_999, "the end of patience with the server");
  });

  test("that is wiped before it has answered shows nothing", async () => {
    const storage = memoryCache();
    const platform = new ManualPlatform();
    const first = new TestPeer({ platform, cache: { storage, viewer: "ada" } });
    first.connection.select("tea");
    await first.welcome({ v: 3 });
    await first.say({ op: "subscribed", ref: 1, sub: 1, tag: "t", bytes: 1 });
    await first.say({ op: "snapshot", sub: 1, v: 3, value: "secret" });
    first.connection.close();
    await settle();
    const [kept] = storage.values.values();
    for (const isWiped of [false, true]) {
      let goOn;
      const get = () => new Promise((resolve) => (goOn = resolve));
      const { connection } = new TestPeer({ platform, cache: cacheOf(get, storage) });
      const store = connection.select("tea");
      const seen = [];
      store.subscribe(() => seen.push(store.getState()));
      await settle();
      if (isWiped) await connection.wipeCache();
      goOn(kept);
      await settle();
      assert.deepEqual(seen, isWiped ? [] : ["secret"], "whoever listens is told");
      assert.equal(store.getState(), isWiped ? undefined : "secret");
      connection.close();
    }
  });

  test("is kept when the client isn't wanted for another reason than that it may not", async () => {
    for (const [code, isKept] of [
      [4102, false],
      [4104, true],
      [4106, true],
    ]) {
      const storage = memoryCache();
      const peer = new TestPeer({ cache: { storage, viewer: "ada" } });
      peer.connection.select("tea");
      await peer.welcome({ v: 3 });
      await peer.say({ op: "subscribed", ref: 1, sub: 1, tag: "t", bytes: 1 });
      await peer.say({ op: "snapshot", sub: 1, v: 3, value: 1 });
      await peer.connection.saveCache();
      await peer.end(code);
      await settle();
      assert.equal(storage.values.size > 0, isKept, `${code}`);
    }
  });

  test("that is wiped sets no timer any more", async () => {
    const peer = new TestPeer({ cache: { storage: memoryCache(), viewer: "ada" } });
    const { connection, platform } = peer;
    connection.select("tea");
    await peer.welcome({ v: 3, heartbeat: 3600 });
    await peer.say({ op: "subscribed", ref: 1, sub: 1, tag: "t", bytes: 1 });
    await connection.wipeCache();
    await peer.say({ op: "snapshot", sub: 1, v: 3, value: 1 });
    assert.equal(platform.nextDue, 3_600_000, "the heartbeat alone");
  });

  /** A peer with a mirror whose cache counts what is written, or fails at first. */
  const counting = async (failures = 0) => {
    const storage = memoryCache();
    const written = [];
    const set = async (key, value) => {
      written.push(value);
      if (written.length <= failures) throw new Error("full");
      await storage.set(key, value);
    };
    const peer = new TestPeer({ cache: { storage: { ...storage, set }, viewer: "ada" } });
    peer.connection.select("tea");
    await peer.welcome({ v: 3, heartbeat: 3600 });
    await peer.say({ op: "subscribed", ref: 1, sub: 1, tag: "t", bytes: 1 });
    const change = (v) => peer.say({ op: "snapshot", sub: 1, v, value: v });
    await change(3);
    const { connection, platform } = peer;
    return { peer, storage, written, change, connection, platform };
  };

  test("has one timer, which ends with the connection or the cache", async () => {
    for (const end of ["close", "wipeCache"]) {
      const { change, connection, platform } = await counting();
      for (const v of [4, 5]) await change(v);
      assert.equal(platform.nextDue, 1000);
      await connection[end]();
      assert.equal(platform.nextDue, end === "close" ? Infinity : 3_600_000, end);
    }
  });

  test("that was written meanwhile isn't written again when its time has come", async () => {
    const { written, change, connection, platform } = await counting();
    await connection.saveCache();
    assert.equal(written.length, 1);
    await platform.advance(60_000);
    assert.equal(written.length, 1);
    await change(4);
    await platform.advance(60_000);
    assert.equal(written.length, 2);
  });

  test("that couldn't be written meanwhile is written when its time has come", async () => {
    const { written, connection, platform } = await counting(1);
    await connection.saveCache();
    assert.equal(written.length, 1);
    await platform.advance(60_000);
    assert.equal(written.length, 2);
  });

  test("isn't written any more when the connection is closed, but once", async () => {
    const { written, connection } = await counting();
    connection.close();
    await settle();
    assert.equal(written.length, 1);
    await connection.saveCache();
    assert.equal(written.length, 1);
  });

  test("isn't written for an outcome that changes nothing of it", async () => {
    const peer = new TestPeer({ cache: { storage: memoryCache(), viewer: "ada" } });
    await peer.welcome({ heartbeat: 3600 });
    const outcome = peer.connection.dispatch({ type: "a" });
    await peer.heard();
    await peer.say({ op: "transaction", v: 1, count: 0, acked: 1 });
    assert.equal((await outcome).version, 1);
    assert.equal(peer.platform.nextDue, 3_600_000, "the heartbeat alone");
  });

  test("has its time for the next write if there was one at the start", async () => {
    const storage = memoryCache();
    for (const pause of [1000, 10_000]) {
      const peer = new TestPeer({ cache: { storage, viewer: "ada" } });
      peer.connection.select("tea");
      await settle();
      const frames = await peer.welcome({ v: pause, heartbeat: 3600 });
      const { ref } = frames.find(({ op }) => op === "subscribe");
      await peer.say({ op: "subscribed", ref, sub: 1, tag: "t", bytes: 1 });
      await peer.say({ op: "snapshot", sub: 1, v: pause, value: 1 });
      assert.equal(peer.platform.nextDue, pause);
      peer.connection.close();
      await settle();
      assert.equal(storage.values.size, 1);
    }
  });

  test("shows nothing any more to whoever may not enter", async () => {
    const { written, connection } = await counting();
    await connection.saveCache();
    connection.close();
    for (const [code, expected] of [
      [4103, 3],
      [4102, undefined],
    ]) {
      const storage = { ...memoryCache(), get: async () => written[0] };
      const peer = new TestPeer({ cache: { storage, viewer: "ada" } });
      await settle();
      await peer.open();
      await peer.end(code);
      assert.equal(peer.connection.status.state, "refused");
      assert.equal(peer.connection.select("tea").getState(), expected, `${code}`);
    }
  });

  test("that couldn't be written is written with the next change", async () => {
    const { storage, written, change, platform } = await counting(1);
    await platform.advance(1000);
    assert.deepEqual([written.length, storage.values.size], [1, 0]);
    await change(4);
    await platform.advance(10_000);
    assert.deepEqual([written.length, storage.values.size], [2, 1]);
    await platform.advance(60_000);
    assert.equal(written.length, 2, "nothing has changed");
  });
});

describe("a standard platform", async () => {
  const { platform } = await import("../../Clients/Web/storecast/connection/Platform.js");

  test("makes clients that nobody can guess", () => {
    const clients = Array.from({ length: 100 }, () => platform.newClient());
    for (const client of clients) assert.match(client, /^[0-9a-f]{32}$/);
    assert.equal(new Set(clients).size, 100);
  });

  test("hears of the network, and of a page that is shown or hidden, until it needn't", () => {
    const before = { window: globalThis.window, document: globalThis.document };
    Object.assign(globalThis, { window: new EventTarget(), document: new EventTarget() });
    try {
      const { window, document } = globalThis;
      const heard = [];
      const ends = [
        platform.watchNetwork(() => heard.push("network")),
        platform.watchHiding(() => heard.push("hidden")),
        platform.watchSleep(() => heard.push("asleep"), () => heard.push("awake")),
      ];
      /** What is heard of an event. */
      const fire = (target, event) => {
        target.dispatchEvent(new Event(event));
        return heard.splice(0);
      };
      const all = () => [
        ...["online", "offline", "pageshow", "pagehide"].map((event) => fire(window, event)),
        ...["freeze", "resume", "visibilitychange"].map((event) => fire(document, event)),
      ];
      document.visibilityState = "visible";
      // What is to be written is, before another tab may lead.
      const ofWindow = [["network"], ["network"], ["network", "awake"], ["hidden", "asleep"]];
      assert.deepEqual(all(), [...ofWindow, ["asleep"], ["awake"], ["network"]]);
      document.visibilityState = "hidden";
      assert.deepEqual(fire(document, "visibilitychange"), ["hidden"]);
      for (const end of ends) end();
      assert.deepEqual(all().flat(), []);
    } finally {
      Object.assign(globalThis, before);
    }
    assert.equal(typeof platform.watchNetwork(() => {}), "function");
    assert.equal(typeof platform.watchHiding(() => {}), "function");
  });
});

describe("a page's own URL", () => {
  test("is what a path is completed with", async () => {
    const { WebSocket, sockets } = fakeWebSocket();
    const platform = new ManualPlatform();
    const known = Object.getOwnPropertyDescriptor(globalThis, "location");
    const location = { href: "https://host:8443/board/?q#part" };
    Object.defineProperty(globalThis, "location", { value: location, configurable: true });
    try {
      for (const url of ["/rooms/a", "rooms/b", new URL("http://other/c#d")]) {
        connect(url, { WebSocket, platform });
      }
      assert.throws(() => connect("127.0.0.1:9090", { WebSocket, platform }), /begins with ws:/);
    } finally {
      if (known) Object.defineProperty(globalThis, "location", known);
      else delete globalThis.location;
    }
    await platform.advance(0);
    const urls = sockets.map(({ url }) => url);
    const own = "wss://host:8443";
    assert.deepEqual(urls, [`${own}/rooms/a`, `${own}/board/rooms/b`, "ws://other/c"]);
    assert.deepEqual(new Set(sockets.map(({ protocols }) => protocols)), new Set(["storecast.v1"]));
  });
});
