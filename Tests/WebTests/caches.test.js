import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { indexedDBCache, memoryCache } from "../../Clients/Web/storecast/index.js";
import { FakeDatabase } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { epoch, TestPeer } from "./support/TestPeer.js";

const snapshot = (sub, v, value) => ({ op: "snapshot", sub, v, value });
const subscribed = (ref, sub, tag = "t") => ({ op: "subscribed", ref, sub, tag, bytes: 0 });
const forbidden = { code: "forbidden", title: "No." };

/** A text behind its checksum: FNV-1a, worked out here once more. */
function checked(text) {
  let sum = 0x811c9dc5n;
  for (const unit of text) sum = ((sum ^ BigInt(unit.charCodeAt(0))) * 0x01000193n) & 0xffffffffn;
  return `${sum.toString(16)} ${text}`;
}

/** A device, on which programs begin and end. */
class Device {
  storage = memoryCache();
  platform = new ManualPlatform();

  /** A program that follows a selection, and has read what was kept. */
  async start({ viewer = "ada", select = ["tea"], cache, ...options } = {}) {
    const { storage, platform } = this;
    const peer = new TestPeer({ platform, cache: { storage, viewer, ...cache }, ...options });
    const stores = select.map((name) => peer.connection.select(name));
    await settle();
    return { peer, connection: peer.connection, store: stores[0], stores };
  }

  /** A program that is sent a value, and ends. */
  async runOnce(value = 1, { v = 3, epoch: history = epoch, ...options } = {}) {
    const { peer, connection } = await this.start(options);
    await peer.welcome({ v, epoch: history });
    await peer.say(subscribed(1, 1), snapshot(1, v, value));
    connection.close();
    await settle();
  }

  /** What a program shows that begins now, before it has a connection. */
  async shown(options) {
    const { connection, store } = await this.start(options);
    const state = store.getState();
    connection.close();
    return state;
  }

  /** The text that is kept. */
  get kept() {
    return [...this.storage.values.values()].join();
  }

  set kept(text) {
    for (const key of this.storage.values.keys()) this.storage.values.set(key, text);
  }
}

describe("a store of a program that is started again", () => {
  test("shows its state before there is a connection, and that it isn't live", async () => {
    const device = new Device();
    await device.runOnce({ cups: 2 });
    const { store, connection, peer } = await device.start();
    assert.deepEqual(store.getState(), { cups: 2 });
    assert.deepEqual(store.position, { epoch, version: 3 });
    assert.equal(store.isLive, false);
    assert.equal(connection.status.state, "connecting");
    assert.deepEqual(peer.socket.sent, []);
  });

  test("is sent no value if nothing has changed", async () => {
    const device = new Device();
    await device.runOnce({ cups: 2 });
    const { store, peer } = await device.start();
    const [hello, subscribe] = await peer.welcome({ v: 3 });
    assert.deepEqual(hello.seen, { epoch, v: 3 });
    assert.deepEqual(subscribe.at, { epoch, v: 3, tag: "t" });
    const state = store.getState();
    await peer.say(subscribed(1, 9));
    assert.equal(store.isLive, false);
    await peer.say({ op: "current", sub: 9, v: 2 });
    assert.equal(store.isLive, true);
    assert.equal(store.getState(), state);
    assert.deepEqual(peer.troubles, []);
  });

  test("is sent what has changed, from any version that has its value", async () => {
    const device = new Device();
    const first = await device.start();
    await first.peer.welcome({ v: 3 });
    await first.peer.say(subscribed(1, 1), snapshot(1, 3, [1]));
    await first.peer.say({ op: "transaction", v: 9, count: 0 });
    first.connection.close();
    await settle();
    const { store, peer } = await device.start();
    const [, subscribe] = await peer.welcome({ v: 12 });
    assert.equal(subscribe.at.v, 9);
    const ops = [{ op: "add", path: "/-", value: 2 }];
    await peer.say(subscribed(1, 1), { op: "patch", sub: 1, from: 2, v: 11, ops });
    assert.deepEqual(store.getState(), [1, 2]);
    assert.deepEqual(peer.troubles, []);
  });

  test("says when it becomes live, and when it isn't any more", async () => {
    const device = new Device();
    await device.runOnce();
    const { store, peer } = await device.start();
    const told = [];
    store.subscribe(() => told.push([store.getState(), store.isLive]));
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), { op: "current", sub: 1, v: 3 });
    await peer.end();
    assert.deepEqual(told, [
      [1, true],
      [1, false],
    ]);
  });

  test("says in which term it was", async () => {
    const device = new Device();
    const first = await device.start();
    await first.peer.welcome({ v: 3, term: "t1" });
    await first.peer.say(subscribed(1, 1), snapshot(1, 3, 1), { op: "term", term: "t2" });
    first.connection.close();
    await settle();
    const { peer } = await device.start();
    assert.equal((await peer.welcome({ v: 3, term: "t3" }))[0].term, "t2");
    await peer.cut();
    assert.equal((await peer.open())[0].term, "t3");
  });

  test("is given another value when the history is lost", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { store, peer, connection } = await device.start();
    await peer.welcome({ epoch: "other", v: 2 });
    assert.equal(store.getState(), "old");
    await peer.say(subscribed(1, 1), snapshot(1, 1, "new"));
    assert.equal(store.getState(), "new");
    assert.deepEqual(store.position, { epoch: "other", version: 1 });
    connection.close();
    await settle();
    assert.equal(await device.shown(), "new");
  });

  test("has nothing of a history that is lost, if it wasn't followed", async () => {
    const device = new Device();
    await device.runOnce("old");
    await device.runOnce("milk", { select: ["milk"], epoch: "other" });
    assert.equal(await device.shown(), undefined);
    assert.equal(await device.shown({ select: ["milk"] }), "milk");
  });

  test("isn't kept as one of the new history before the server has answered", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { peer, connection } = await device.start();
    await peer.welcome({ epoch: "other", v: 2 });
    const milk = connection.select("milk");
    await peer.say(subscribed(2, 2), snapshot(2, 1, "white"));
    connection.close();
    await settle();
    assert.equal(milk.getState(), "white");
    assert.equal(await device.shown(), undefined);
    assert.equal(await device.shown({ select: ["milk"] }), "white");
  });

  test("isn't shown a dispatch twice that is in the state already", async () => {
    const device = new Device();
    const first = await device.start();
    await first.peer.welcome({ v: 3 });
    await first.peer.say(subscribed(1, 1), snapshot(1, 3, []));
    first.connection.dispatch({ type: "add", payload: 1 });
    await settle();
    const acked = { op: "transaction", v: 4, count: 1, acked: 1 };
    await first.peer.say(acked, snapshot(1, 4, [1]));
    first.connection.close();
    await settle();
    // An outbox that doesn't know of it yet, and one of another client.
    const [client] = /[0-9a-v]{26}/.exec(device.kept);
    assert(client && !device.kept.includes("0".repeat(31)), "the client's id isn't in it");
    const dispatches = [{ seq: 1, base: 3, epoch, action: '{"type":"add","payload":1}' }];
    const optimistic = (list, { payload }) => [...list, payload];
    for (const [id, shown] of [[1, [1]], [2, [1, 1]]]) {
      const contents = { client: `${id}`.padStart(32, "0"), settled: 0, dispatches };
      const open = async () => ({ contents, write() {}, close() {} });
      const { connection } = await device.start({ outbox: { open }, select: [] });
      const store = connection.select("tea", undefined, { optimistic });
      await settle();
      assert.deepEqual(store.getState(), shown);
      connection.close();
    }
  });
});

describe("beside what is live", () => {
  test("a kept state is shown when the server has confirmed it", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { peer, connection } = await device.start({ select: [] });
    await peer.welcome({ v: 3 });
    const store = connection.select("tea");
    assert.deepEqual([store.getState(), store.position], [undefined, undefined]);
    const [subscribe] = await peer.heard();
    assert.deepEqual(subscribe.at, { epoch, v: 3, tag: "t" });
    await peer.say(subscribed(1, 1), { op: "current", sub: 1, v: 3 });
    assert.equal(store.getState(), "old");
  });

  test("so it is without a connection, if there was one", async () => {
    const device = new Device();
    await device.runOnce(["old"]);
    const { peer, connection } = await device.start({ select: [] });
    await peer.welcome({ v: 3 });
    await peer.end();
    const store = connection.select("tea");
    assert.equal(store.getState(), undefined);
    connection.reconnect();
    await settle();
    await peer.welcome({ v: 4 });
    const ops = [{ op: "replace", path: "/0", value: "new" }];
    await peer.say(subscribed(1, 1), { op: "patch", sub: 1, from: 3, v: 4, ops });
    assert.deepEqual(store.getState(), ["new"]);
  });

  test("so it is for one whose parameters only the server finds equal", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { peer, connection } = await device.start({ select: [] });
    await peer.welcome({ v: 3 });
    const stores = [connection.select("tea"), connection.select("tea", {})];
    await peer.say(subscribed(1, 5), subscribed(2, 5));
    const states = () => stores.map((store) => store.getState());
    assert.deepEqual(states(), [undefined, undefined]);
    await peer.say({ op: "current", sub: 5, v: 3 });
    assert.deepEqual(states(), ["old", "old"]);
  });

  test("what is of another history than the server's isn't used", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { peer, connection } = await device.start({ select: [] });
    await peer.welcome({ epoch: "other", v: 3 });
    connection.select("tea");
    assert.equal((await peer.heard())[0].at, undefined);
  });

  test("one that waits for its answer isn't lost", async () => {
    const device = new Device();
    await device.runOnce("old");
    const { peer, connection } = await device.start({ select: [] });
    await peer.welcome({ v: 7 });
    connection.select("tea");
    connection.close();
    await settle();
    assert.equal(await device.shown(), "old");
  });
});

describe("what is kept", () => {
  test("isn't shown to another person, or in another room", async () => {
    const device = new Device();
    await device.runOnce("secret", { viewer: "Zo\u00e9" });
    for (const viewer of ["bob", "", "Zoe\u0301"]) {
      assert.equal(await device.shown({ viewer }), undefined);
      // Nor where the storage has one place for all.
      const [text] = device.storage.values.values();
      const storage = { ...memoryCache(), get: async () => text };
      assert.equal(await device.shown({ viewer, cache: { storage } }), undefined);
    }
    assert.equal(await device.shown({ viewer: "Zo\u00e9" }), "secret");
  });

  test("is gone when it was wiped, and doesn't come back", async () => {
    const device = new Device();
    await device.runOnce();
    const { peer, connection, store } = await device.start();
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, 2));
    const saved = connection.saveCache();
    await connection.wipeCache();
    await saved;
    assert.equal(device.kept, "");
    await peer.say(snapshot(1, 4, 3));
    await device.platform.advance(20_000);
    connection.close();
    await settle();
    assert.equal(device.kept, "");
    assert.equal(store.getState(), 3);
  });

  test("is gone when it was wiped while it was being written", async () => {
    for (const slow of ["seal", "set"]) {
      let goOn;
      const gate = new Promise((resolve) => (goOn = resolve));
      const device = new Device();
      const values = device.storage;
      const set = async (key, value) => {
        if (slow === "set") await gate;
        await values.set(key, value);
      };
      const cache = { storage: { ...values, set } };
      if (slow === "seal") cache.seal = (text) => gate.then(() => text);
      const { peer, connection } = await device.start({ cache });
      await peer.welcome({ v: 3 });
      await peer.say(subscribed(1, 1), snapshot(1, 3, 2));
      void connection.saveCache();
      await settle();
      const wiped = connection.wipeCache();
      await settle();
      goOn();
      await wiped;
      await settle();
      assert.equal(device.kept, "");
    }
  });

  test("is gone when it was wiped after the end", async () => {
    const device = new Device();
    const { peer, connection } = await device.start();
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, 2));
    connection.close();
    await connection.wipeCache();
    assert.equal(device.kept, "");
  });

  for (const [what, refuse] of [
    ["a lapse", () => [subscribed(1, 1), { op: "lapse", sub: 1, ...forbidden }]],
    ["an error", () => [{ op: "error", ref: 1, ...forbidden }]],
  ]) {
    test(`doesn't hold what may not be seen any more, after ${what}`, async () => {
      const device = new Device();
      await device.runOnce("secret");
      const { peer } = await device.start({ select: ["tea", "milk"] });
      await peer.welcome({ v: 3 });
      await peer.say(subscribed(2, 2), snapshot(2, 3, "white"), ...refuse());
      assert(!device.kept.includes("secret") && device.kept.includes("white"));
    });
  }

  test("is nothing for those who may not enter the room any more", async () => {
    const device = new Device();
    await device.runOnce("secret");
    const { peer } = await device.start();
    await peer.open();
    const bye = { op: "bye", ...forbidden, reconnect: false, after: 0, jitter: 0 };
    await peer.say(bye);
    await peer.end(4102);
    assert.equal(device.kept, "");
  });

  test("is nothing, and stays so, for those who are turned out", async () => {
    const device = new Device();
    const { peer, connection } = await device.start();
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, "secret"));
    await connection.saveCache();
    assert(device.kept.includes("secret"));
    await peer.say({ op: "bye", ...forbidden, reconnect: false, after: 0, jitter: 0 });
    await peer.end(4102);
    assert.equal(device.kept, "");
    peer.platform.hide();
    await peer.platform.advance(60_000);
    assert.equal(device.kept, "");
    connection.close();
    await settle();
    assert.equal(device.kept, "");
  });

  test("is written again for those who are let in again", async () => {
    const device = new Device();
    const { peer, connection } = await device.start();
    await peer.welcome({ v: 3 });
    await peer.say({ op: "bye", ...forbidden, reconnect: false, after: 0, jitter: 0 });
    await peer.end(4102);
    connection.reconnect();
    const { ref } = (await peer.welcome({ v: 3 })).find(({ op }) => op === "subscribe");
    await peer.say(subscribed(ref, 1), snapshot(1, 3, "green tea"));
    await connection.saveCache();
    assert(device.kept.includes("green tea"));
  });

  test("is written some time after a change, with all that has changed by then", async () => {
    const device = new Device();
    let writes = 0;
    const set = (key, value) => {
      writes += 1;
      return device.storage.set(key, value);
    };
    const storage = { ...device.storage, set };
    const { peer } = await device.start({ cache: { storage } });
    await peer.welcome({ v: 3, heartbeat: 3600 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, "first"));
    for (let v = 4; v <= 20; v += 1) await peer.say(snapshot(1, v, `last ${v}`));
    // The next start would show nothing.
    await device.platform.advance(999);
    assert.equal(device.kept, "");
    await device.platform.advance(1);
    assert(device.kept.includes("last 20"));
    for (let v = 21; v <= 30; v += 1) await peer.say(snapshot(1, v, `last ${v}`));
    await device.platform.advance(9_999);
    assert.equal(writes, 1);
    await device.platform.advance(1);
    assert(device.kept.includes("last 30"));
    await device.platform.advance(60_000);
    assert.equal(writes, 2);
    // What is larger is written more seldom.
    await peer.say(snapshot(1, 31, "x".repeat(3 * (256 << 10))));
    await device.platform.advance(10_000);
    assert.equal(writes, 3);
    await peer.say(snapshot(1, 32, "last"));
    await device.platform.advance(12_999);
    assert.equal(writes, 3);
    await device.platform.advance(1);
    assert.equal(writes, 4);
  });

  test("is written when the connection was lost, with the position", async () => {
    const device = new Device();
    const { peer } = await device.start();
    await peer.welcome({ v: 3, heartbeat: 3600 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, "first"));
    await device.platform.advance(10_000);
    await peer.say({ op: "transaction", v: 9, count: 0 });
    await device.platform.advance(10_000);
    await peer.end();
    await device.platform.advance(10_000);
    const { store } = await device.start();
    assert.deepEqual(store.position, { epoch, version: 9 });
  });

  test("is what a selection was when it was followed last", async () => {
    const device = new Device();
    const { peer, stores, connection } = await device.start({ select: ["tea", "milk"] });
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, "tea"));
    await peer.say(subscribed(2, 2), snapshot(2, 3, "white"));
    stores[0].close();
    await peer.say(snapshot(2, 4, "whiter"));
    connection.close();
    await settle();
    const next = await device.start({ select: ["tea", "milk"] });
    assert.deepEqual(
      next.stores.map((store) => [store.getState(), store.position.version]),
      [
        ["tea", 3],
        ["whiter", 4],
      ],
    );
  });

  test("is written when the page is hidden", async () => {
    const device = new Device();
    const { peer } = await device.start();
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, "first"));
    device.platform.hide();
    await settle();
    assert(device.kept.includes("first"));
  });

  test("lets go first of what wasn't followed for the longest time", async () => {
    const device = new Device();
    const text = "x".repeat(500);
    for (const name of ["a", "b", "c", "d"]) {
      await device.runOnce(name + text, { select: [name] });
    }
    const again = await device.start({ select: ["a"] });
    await again.peer.welcome({ v: 3 });
    await again.peer.say(subscribed(1, 1), { op: "current", sub: 1, v: 3 });
    again.connection.close();
    await settle();
    const cache = { characters: 1400 };
    const { stores } = await device.start({ select: ["a", "b", "c", "d"], cache });
    assert.deepEqual(
      stores.map((store) => store.getState()?.[0]),
      ["a", undefined, undefined, "d"],
    );
  });

  test("holds no state that is too large, nor the one before", async () => {
    const device = new Device();
    const cache = { selectionCharacters: 10 };
    await device.runOnce("12345678", { cache });
    assert.equal(await device.shown(), "12345678");
    await device.runOnce("123456789", { cache, v: 4 });
    assert.equal(await device.shown(), undefined);
  });

  test("is never longer than it may be", async () => {
    const device = new Device();
    const names = Array.from({ length: 50 }, (_, n) => `"${n}"`);
    const { peer, connection } = await device.start({ select: names, cache: { characters: 3000 } });
    await peer.welcome({ v: 3 });
    for (let ref = 1; ref <= 50; ref += 1) {
      await peer.say(subscribed(ref, ref), snapshot(ref, 3, `"${ref}"`));
    }
    connection.close();
    await settle();
    assert(device.kept.length > 1000 && device.kept.length <= 3000, `${device.kept.length}`);
  });

  test("is as if it weren't there when it is damaged, wherever", async () => {
    const device = new Device();
    await device.runOnce({ cups: [1, 2, 3] });
    const whole = device.kept;
    for (let place = 0; place < whole.length; place += 1) {
      const other = String.fromCharCode(whole.charCodeAt(place) ^ 1);
      for (const damaged of [
        whole.slice(0, place),
        whole.slice(0, place) + other + whole.slice(place + 1),
      ]) {
        device.kept = damaged;
        assert.equal(await device.shown(), undefined, damaged);
      }
    }
    for (const other of [undefined, null, 7, {}, [], new Uint8Array(9), `${whole} `]) {
      device.kept = other;
      assert.equal(await device.shown(), undefined);
    }
    device.kept = whole;
    assert.deepEqual(await device.shown(), { cups: [1, 2, 3] });
  });

  test("is as if it weren't there when it says what can't be", async () => {
    const device = new Device();
    await device.runOnce(7);
    const [text] = device.storage.values.values();
    const [index, values] = text.slice(text.indexOf(" ") + 1).split("\n");
    const tea = JSON.parse(index).mirrors[0];
    const long = "x".repeat(1025);
    for (const [change, isShown] of [
      [{}, true],
      ...[{ format: 2 }, { url: "ws://test/other" }, { epoch: 7 }, { epoch: long }, { v: 2 }],
      ...[{ v: -1 }, { v: 2 ** 53 }, { v: "3" }, { term: null }, { term: long }, { mirrors: {} }],
      ...[{ mirrors: [7] }, { mirrors: [] }, { mirrors: [tea, tea] }],
      ...[{ since: 4 }, { tag: long }, { length: 2 }, { length: 0 }, { length: -1 }].map(
        (wrong) => ({ mirrors: [{ ...tea, ...wrong }] }),
      ),
    ].map((each) => (Array.isArray(each) ? each : [each, false]))) {
      device.kept = checked(`${JSON.stringify({ ...JSON.parse(index), ...change })}\n${values}`);
      assert.equal(await device.shown(), isShown ? 7 : undefined, JSON.stringify(change));
    }
  });

  test("is what the app's functions make of it", async () => {
    const device = new Device();
    const turn = (text) => text.replace(/./gs, (it) => String.fromCharCode(it.charCodeAt(0) ^ 1));
    const cache = {
      seal: async (text) => new Uint8Array(new TextEncoder().encode(turn(text))),
      open: async (sealed) => turn(new TextDecoder().decode(sealed)),
    };
    await device.runOnce("secret", { cache });
    const [sealed] = device.storage.values.values();
    assert(sealed instanceof Uint8Array && !new TextDecoder().decode(sealed).includes("secret"));
    assert.equal(await device.shown({ cache }), "secret");
    assert.equal(await device.shown(), undefined);
    const open = () => {
      throw new Error("It was sealed with another key.");
    };
    assert.equal(await device.shown({ cache: { ...cache, open } }), undefined);
  });

  test("may be missing: a storage that fails disturbs nobody", async () => {
    const fail = async () => {
      throw new Error("The disk is full.");
    };
    const device = new Device();
    const { peer, store } = await device.start({
      cache: { storage: { get: fail, set: fail, delete: fail } },
    });
    await peer.welcome({ v: 3 });
    await peer.say(subscribed(1, 1), snapshot(1, 3, 1));
    await device.platform.advance(20_000);
    assert.equal(store.getState(), 1);
    await assert.rejects(peer.connection.wipeCache(), /disk is full/);
  });

  test("isn't waited for for ever", async () => {
    const device = new Device();
    const storage = { ...memoryCache(), get: () => new Promise(() => {}) };
    const { peer } = await device.start({ cache: { storage } });
    assert.deepEqual(peer.sockets, []);
    await device.platform.advance(2000);
    await peer.welcome({ v: 3 });
    assert.equal(peer.connection.status.state, "live");
  });

  test("can be in the browser's IndexedDB", async () => {
    const device = new Device();
    const indexedDB = new FakeDatabase();
    device.storage = indexedDBCache({ indexedDB });
    await device.runOnce("first");
    await settle();
    device.storage = indexedDBCache({ indexedDB });
    assert.equal(await device.shown(), "first");
    const { connection } = await device.start();
    await connection.wipeCache();
    await settle();
    assert.deepEqual(indexedDB.values, []);
  });

  test("in IndexedDB is opened again when the browser has closed it", async () => {
    const indexedDB = new FakeDatabase();
    const storage = indexedDBCache({ indexedDB });
    await storage.set("a", "1");
    indexedDB.isCut = true;
    await storage.set("b", "2");
    indexedDB.isCut = true;
    assert.equal(await storage.get("a"), "1");
    assert.equal(await storage.get("b"), "2");
    let attempts = 0;
    const late = { open: (...its) => (attempts++ ? indexedDB.open(...its) : assert.fail("busy")) };
    assert.equal(await indexedDBCache({ indexedDB: late }).get("a"), "1");
  });
});
