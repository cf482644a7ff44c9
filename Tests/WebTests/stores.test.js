import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import {
  indexedDBCache,
  indexedDBOutbox,
  localStorageOutbox,
  memoryCache,
} from "../../Clients/Web/storecast/index.js";
import { FakeDatabase, FakeLocks, FakeStorage } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { TestPeer } from "./support/TestPeer.js";

const subscribed = (sub, ref = sub) => ({ op: "subscribed", ref, sub, tag: "t", bytes: 1 });
const snapshot = (sub, v, value) => ({ op: "snapshot", sub, v, value });
const ops = (frames) => frames.map(({ op, ref }) => [op, ref].join(" ").trim());

/** A peer with one live store, as sub 1. */
async function live(value = 0, options = {}, selectOptions = undefined) {
  const peer = new TestPeer(options);
  const store = peer.connection.select("n", undefined, selectOptions);
  await peer.welcome({ heartbeat: 3600 });
  await peer.say(subscribed(1), snapshot(1, 0, value));
  return { peer, store, platform: peer.platform };
}

describe("stores", () => {
  test("are one for what is the same, and share what they follow", async () => {
    const peer = new TestPeer();
    const { connection } = peer;
    const [one, other] = [(n) => n + 1, (n) => n + 2];
    const plain = connection.select("a", { b: 1, c: 2 });
    assert.equal(connection.select("a", { c: 2, b: 1 }), plain);
    assert.notEqual(connection.select("a", { b: 1 }), plain);
    assert.notEqual(connection.select("b", { b: 1, c: 2 }), plain);
    const first = connection.select("a", { b: 1, c: 2 }, { optimistic: one });
    const second = connection.select("a", { b: 1, c: 2 }, { optimistic: other });
    assert.equal(connection.select("a", { b: 1, c: 2 }, { optimistic: one }), first);
    assert.equal(new Set([plain, first, second]).size, 3);
    const frames = await peer.welcome({ heartbeat: 3600 });
    assert.deepEqual(ops(frames), ["hello", "subscribe 1", "subscribe 2", "subscribe 3"]);
    // It is followed as long as one of them is.
    for (const store of [plain, first]) store.close();
    assert.deepEqual(await peer.heard(), []);
    for (const store of [second, second]) store.close();
    assert.deepEqual(ops(await peer.heard()), ["unsubscribe 1"]);
    assert.notEqual(connection.select("a", { b: 1, c: 2 }), plain);
  });

  test("tell a new listener nothing of what was before it", async () => {
    const { peer, store } = await live();
    const heard = [];
    store.subscribe(() => heard.push("first"))();
    const ops = [{ op: "replace", path: "", value: 1 }];
    await peer.say({ op: "patch", sub: 1, from: 0, v: 1, ops });
    store.subscribe(() => heard.push("second"));
    await peer.say({ op: "current", sub: 1, v: 2 });
    assert.deepEqual(heard, []);
    assert.equal(store.position.version, 2);
    assert.equal(store.getState(), 1);
  });

  test("tell of one change after the other, also of those that listeners make", async () => {
    const { store, peer } = await live(0, {}, { optimistic: (n) => n + 1 });
    const heard = [];
    store.subscribe(() => {
      const n = store.getState();
      heard.push(`in ${n}`);
      if (n < 3) void store.dispatch({ type: "more" }).catch(() => {});
      heard.push(`out ${n}`);
    });
    void store.dispatch({ type: "more" }).catch(() => {});
    assert.deepEqual(heard, ["in 1", "out 1", "in 2", "out 2", "in 3", "out 3"]);
    peer.connection.close();
  });

  test("have rows in the order of their ids' scalars, as a server has them", async () => {
    const ids = ["", "a", "a\ud7ff", "a\ue000", "a\uffff", "a\u{10000}", "a\u{10ffff}", "aa", "b"];
    const ordered = ["", "a", "aa", ...ids.slice(2, 7), "b"];
    for (const given of [ids, ids.toReversed()]) {
      const { store } = await live(Object.fromEntries(given.map((id) => [id, 1])));
      assert.deepEqual(store.rows().ids.getState(), ordered);
    }
  });

  test("tell nobody of what was there already when he came", async () => {
    const waiting = [];
    const notify = (work) => waiting.push(work);
    const { peer, store } = await live(1, { notify });
    for (const work of waiting.splice(0)) work();
    await peer.say(snapshot(1, 1, 2));
    let calls = 0;
    store.subscribe(() => (calls += 1));
    assert.equal(store.getState(), 2);
    assert.equal(waiting.length, 1);
    for (const work of waiting.splice(0)) work();
    assert.equal(calls, 0);
    await peer.say(snapshot(1, 2, 3));
    for (const work of waiting.splice(0)) work();
    assert.equal(calls, 1);
  });

  test("are followed while somebody listens, whoever leaves, and five seconds more", async () => {
    const { peer, store, platform } = await live();
    const [first, second] = [store.subscribe(() => {}), store.subscribe(() => {})];
    for (const leave of [first, first]) leave();
    await platform.advance(60_000);
    assert.deepEqual(await peer.heard(), []);
    for (const leave of [second, second]) leave();
    await platform.advance(4000);
    const third = store.subscribe(() => {});
    await platform.advance(60_000);
    assert.deepEqual(await peer.heard(), []);
    third();
    await platform.advance(4999);
    assert.deepEqual(await peer.heard(), []);
    await platform.advance(1);
    assert.deepEqual(ops(await peer.heard()), ["unsubscribe 1"]);
    assert.equal(platform.nextDue, 3_600_000);
  });

  test("tell of what they can't show any more, and that they aren't live", async () => {
    const { peer, store } = await live(7);
    const heard = [];
    store.subscribe(() => heard.push([store.getState(), store.isLive, store.problem?.code]));
    await peer.say({ op: "lapse", sub: 1, code: "forbidden" });
    await peer.end();
    assert.deepEqual(heard, [[7, false, "forbidden"]]);
  });

  test("have no position before they have a state", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("n");
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1), { op: "transaction", v: 4, count: 0 });
    const shown = () => [store.getState(), store.position?.version, store.isLive];
    assert.deepEqual(shown(), [undefined, undefined, false]);
    await peer.say(snapshot(1, 4, null));
    assert.deepEqual(shown(), [null, 4, true]);
  });

  test("of a closed connection say that, and are looked at as before", async () => {
    const { peer, store } = await live(7);
    peer.connection.close();
    await settle();
    assert.deepEqual([store.getState(), store.isLive, store.problem.code], [7, false, "closed"]);
  });

  test("that show dispatches at once ask who acts again when that is known", async () => {
    const peer = new TestPeer();
    const optimistic = (names, _, { sender }) => [...names, sender?.id];
    const store = peer.connection.select("n", undefined, { optimistic });
    await peer.welcome({ identity: { id: "ada", roles: [] } });
    await peer.say(subscribed(1), snapshot(1, 0, []));
    const heard = [];
    store.subscribe(() => heard.push(store.getState()));
    store.dispatch({ type: "a" });
    await peer.cut();
    await peer.welcome({ identity: { id: "bob", roles: [] } });
    assert.deepEqual(heard.at(0), ["ada"]);
    assert.deepEqual(heard.at(-1), ["bob"]);
  });
});

describe("listeners, if nothing is said of when they hear,", () => {
  test("hear before the page is drawn, and no timer is left then", async () => {
    const platform = new ManualPlatform({ hasFrames: true });
    const { peer, store } = await live(0, { platform, notify: undefined });
    platform.drawFrame();
    const heard = [];
    store.subscribe(() => heard.push(store.getState()));
    assert.equal(platform.nextDue, 3_600_000, "the heartbeat");
    await peer.say(snapshot(1, 1, 1));
    assert.deepEqual(heard, []);
    assert.equal(platform.nextDue, 1000);
    platform.drawFrame();
    assert.deepEqual(heard, [1]);
    assert.equal(platform.nextDue, 3_600_000);
  });

  test("hear at once where nothing is drawn", async () => {
    const { peer, store } = await live(0, { notify: "frame" });
    const heard = [];
    store.subscribe(() => heard.push(store.getState()));
    await peer.say(snapshot(1, 1, 1));
    assert.deepEqual(heard, [1]);
  });

  test("hear of what they dispatch when dispatch returns, all of them", async () => {
    const optimistic = (n, { payload }) => n + payload;
    const platform = new ManualPlatform({ hasFrames: true });
    const { peer, store } = await live(1, { platform, notify: "frame" }, { optimistic });
    platform.drawFrame();
    const heard = [];
    store.subscribe(() => heard.push(store.getState()));
    peer.connection.subscribe(() => heard.push(`${peer.connection.pendingCount} pending`));
    store.dispatch({ type: "add", payload: 2 });
    assert.deepEqual(heard, ["1 pending", 3]);
  });
});

describe("pages", () => {
  const page = (first, hasAfter = true) => ({
    rows: [first],
    start: [first],
    end: [first],
    hasBefore: first > 0,
    hasAfter,
  });

  async function shown() {
    const peer = new TestPeer();
    const pages = peer.connection.pages("page", (place) => place);
    await peer.welcome({ heartbeat: 3600 });
    await peer.say(subscribed(1), snapshot(1, 0, page(0)));
    return { peer, pages };
  }

  test("that were asked for, and aren't wanted any more, are followed no longer", async () => {
    const { peer, pages } = await shown();
    const heard = [];
    pages.subscribe(() => heard.push(pages.isTurning));
    pages.next();
    assert.deepEqual((await peer.heard()).map(({ params }) => params), [{ after: [0] }]);
    pages.first();
    assert.deepEqual(heard, [true, false]);
    await peer.platform.advance(5000);
    assert.deepEqual(ops(await peer.heard()), ["unsubscribe 2"]);
    await peer.say(subscribed(2), snapshot(2, 0, page(1)));
    assert.deepEqual(pages.getState().rows, [0]);
  });

  test("that are closed are followed no longer, until somebody listens again", async () => {
    const { peer, pages } = await shown();
    pages.next();
    await peer.heard();
    pages.close();
    assert.equal(pages.isTurning, false);
    await peer.platform.advance(5000);
    assert.deepEqual(ops(await peer.heard()).sort(), ["unsubscribe 1", "unsubscribe 2"]);
    const heard = [];
    pages.subscribe(() => heard.push(pages.getState().rows));
    assert.deepEqual(ops(await peer.heard()), ["subscribe 3"]);
    await peer.say(subscribed(3), snapshot(3, 1, page(5)));
    assert.deepEqual(heard, [[5]]);
  });

  test("that come while nobody listens are shown, and followed a little longer", async () => {
    const { peer, pages } = await shown();
    pages.subscribe(() => {})();
    pages.next();
    await peer.heard();
    await peer.say(subscribed(2), snapshot(2, 0, page(1)));
    assert.deepEqual(pages.getState().rows, [1]);
    await peer.platform.advance(5000);
    assert.deepEqual(ops(await peer.heard()).sort(), ["unsubscribe 1", "unsubscribe 2"]);
  });

  test("are followed while somebody listens, whoever leaves", async () => {
    const { peer, pages } = await shown();
    const [first, second] = [pages.subscribe(() => {}), pages.subscribe(() => {})];
    first();
    await peer.platform.advance(60_000);
    assert.deepEqual(await peer.heard(), []);
    second();
    await peer.platform.advance(5000);
    assert.deepEqual(ops(await peer.heard()), ["unsubscribe 1"]);
  });

  test("that were refused are asked for anew, if that is some time ago", async () => {
    const { peer, pages } = await shown();
    for (const [pause, answers] of [
      [0, ["subscribe 2"]],
      [4999, []],
      [5000, ["subscribe 3"]],
    ]) {
      await peer.platform.advance(pause);
      pages.next();
      const asked = ops(await peer.heard());
      assert.deepEqual(asked, answers);
      if (pause === 4999) assert.equal(pages.problem.code, "no");
      const ref = Number(asked[0]?.split(" ")[1]);
      if (ref) await peer.say({ op: "error", ref, code: "no", title: "No." });
      assert.equal(pages.problem.code, "no");
      assert.deepEqual([pages.isTurning, pages.getState().rows], [false, [0]]);
    }
  });

  test("have parts and take dispatches as any store", async () => {
    const { peer, pages } = await shown();
    const first = pages.select(({ rows }) => rows[0]);
    const heard = [];
    first.subscribe(() => heard.push(first.getState()));
    assert.equal(first.getState(), 0);
    pages.next();
    await peer.heard();
    await peer.say(subscribed(2), snapshot(2, 0, page(1, false)));
    assert.deepEqual(heard, [1]);
    pages.next();
    assert.equal(pages.isTurning, false, "there is no next one");
    pages.dispatch({ type: "a" });
    assert.deepEqual(ops(await peer.heard()), ["dispatch"]);
  });
});

describe("what a browser keeps stays where later versions look for it:", () => {
  /** What a database was asked for. */
  class WatchedDatabase extends FakeDatabase {
    opened = [];
    made = [];
    begun = [];

    open(...parts) {
      this.opened.push(parts);
      return super.open();
    }

    createObjectStore(name) {
      this.made.push(name);
      super.createObjectStore(name);
    }

    transaction(names, mode, options) {
      this.begun.push([names, mode, options]);
      return super.transaction(names, mode);
    }
  }

  test("a cache in IndexedDB", async () => {
    const indexedDB = new WatchedDatabase();
    const cache = indexedDBCache({ indexedDB });
    await cache.set("key", "value");
    assert.equal(await cache.get("key"), "value");
    await cache.delete("key");
    assert.equal(await cache.get("key"), undefined);
    assert.deepEqual(indexedDB.opened, [["storecast-cache", 1]], "it is opened once");
    assert.deepEqual(indexedDB.made, ["mirrors"]);
    indexedDB.fault = "full";
    await assert.rejects(cache.set("key", "other"), /full/);
    await assert.rejects(cache.delete("key"), /full/);
  });

  test("an outbox in IndexedDB, which waits for the disk", async () => {
    const indexedDB = new WatchedDatabase();
    const outbox = indexedDBOutbox("votes", { indexedDB, locks: new FakeLocks() });
    const open = await outbox.open("ws://test/", () => "c".repeat(32));
    const dispatch = { seq: 1, base: 0, epoch: "", action: '{"type":"a"}' };
    await open.write({ dispatches: [dispatch], settled: 0 });
    assert.deepEqual(indexedDB.opened, [["storecast", 1]]);
    assert.deepEqual(indexedDB.made, ["clients", "dispatches"]);
    const writing = indexedDB.begun.filter(([, mode]) => mode === "readwrite");
    const both = ["clients", "dispatches"];
    assert.deepEqual(writing.map(([names]) => names), [both, both]);
    for (const [, , options] of writing) assert.deepEqual(options, { durability: "strict" });
    indexedDB.fault = "full";
    await assert.rejects(open.write({ dispatches: [], settled: 1 }), /full/);
  });

  test("an outbox in localStorage", async () => {
    const storage = new FakeStorage();
    const outbox = localStorageOutbox("votes", { storage, locks: new FakeLocks() });
    const open = await outbox.open("ws://test/", () => "c".repeat(32));
    const dispatch = (seq) => ({ seq, base: 0, epoch: "", action: '{"type":"a"}' });
    open.write({ dispatches: [dispatch(1), dispatch(2), dispatch(3)], settled: 0 });
    const slot = "storecast votes 0 ws://test/";
    assert.deepEqual(storage.keys, [slot, `${slot} 1`, `${slot} 2`, `${slot} 3`]);
    assert.deepEqual(JSON.parse(storage.getItem(`${slot} 2`)), dispatch(2));
    open.write({ dispatches: [], settled: 2 });
    assert.deepEqual(storage.keys, [slot, `${slot} 3`]);
    const client = { client: "c".repeat(32), settled: 2, opening: 1 };
    assert.deepEqual(JSON.parse(storage.getItem(slot)), client);
  });

  test("names that nobody chose", async () => {
    const local = new FakeStorage();
    const outbox = localStorageOutbox(undefined, { storage: local, locks: new FakeLocks() });
    await outbox.open("u", () => "c".repeat(16));
    assert.deepEqual(local.keys, ["storecast outbox 0 u"]);
    const storage = memoryCache();
    const peer = new TestPeer({ cache: { storage, viewer: "ada" } });
    await peer.welcome();
    await peer.connection.saveCache();
    assert.deepEqual([...storage.values.keys()], ["storecast ws://test/ ada"]);
  });
});
