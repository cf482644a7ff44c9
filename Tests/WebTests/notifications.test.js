import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { ManualPlatform } from "./support/ManualPlatform.js";
import { TestPeer } from "./support/TestPeer.js";

const snapshot = (v, value) => ({ op: "snapshot", sub: 5, v, value });
const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
const set = (from, path, value) => {
  const ops = [{ op: "replace", path, value }];
  return { op: "patch", sub: 5, from, v: from + 1, ops };
};

async function live(options, value = { a: 0, b: { n: 0 } }) {
  const peer = new TestPeer(options);
  const store = peer.connection.select("value");
  await peer.welcome();
  await peer.say(subscribed, snapshot(0, value));
  return { peer, store };
}

describe("listeners", () => {
  test("hear once per frame of 10,000 patches", async () => {
    const platform = new ManualPlatform({ hasFrames: true });
    const { peer, store } = await live({ platform, notify: "frame" });
    platform.drawFrame();
    const heard = [];
    store.subscribe(() => heard.push(store.getState().a));
    const patches = Array.from({ length: 10_000 }, (_, v) => set(v, "/a", v + 1));
    await peer.say(...patches);
    assert.deepEqual(heard, []);
    assert.equal(platform.frames.length, 1);
    platform.drawFrame();
    assert.deepEqual(heard, [10_000]);
    assert.equal(platform.frames.length, 0, "nothing is drawn for nothing");
  });

  test("hear once a second in a page that is not drawn", async () => {
    const platform = new ManualPlatform({ hasFrames: true });
    const { peer, store } = await live({ platform, notify: "frame" });
    platform.drawFrame();
    const heard = [];
    store.subscribe(() => heard.push(store.getState().a));
    await peer.say(set(0, "/a", 1));
    await platform.advance(999);
    assert.deepEqual(heard, []);
    await platform.advance(1);
    assert.deepEqual(heard, [1]);
    platform.drawFrame();
    assert.deepEqual(heard, [1]);
  });

  test("hear when a function of their own says so", async () => {
    const turns = [];
    const { peer, store } = await live({ notify: (announce) => turns.push(announce) });
    const heard = [];
    store.subscribe(() => heard.push(store.getState().a));
    await peer.say(set(0, "/a", 1), set(1, "/a", 2));
    assert.equal(turns.length, 1);
    turns.shift()();
    assert.deepEqual(heard, [2]);
  });

  test("see all stores at one version", async () => {
    const { peer, store } = await live();
    const other = peer.connection.select("other");
    await peer.say({ op: "subscribed", ref: 2, sub: 6, tag: "t", bytes: 1 });
    await peer.say({ op: "snapshot", sub: 6, v: 0, value: 0 });
    const seen = [];
    store.subscribe(() => seen.push([store.getState().a, other.getState()]));
    other.subscribe(() => seen.push([store.getState().a, other.getState()]));
    const ops = [{ op: "replace", path: "", value: 1 }];
    const part = { op: "patch", sub: 6, from: 0, v: 1, ops };
    await peer.say({ op: "transaction", v: 1, count: 2 }, set(0, "/a", 1), part);
    assert.deepEqual(seen, [
      [1, 1],
      [1, 1],
    ]);
  });

  test("of a part hear of that part alone", async () => {
    const { peer, store } = await live();
    const part = store.select((state) => state.b);
    const rounded = part.select((b) => Math.floor(b.n / 10));
    const made = store.select((state) => ({ n: state.b.n }), (one, other) => one.n === other.n);
    const heard = [];
    part.subscribe(() => heard.push(["b", part.getState().n]));
    rounded.subscribe(() => heard.push(["rounded", rounded.getState()]));
    made.subscribe(() => heard.push(["made", made.getState().n]));
    const first = made.getState();
    await peer.say(set(0, "/a", 1));
    assert.equal(made.getState(), first);
    await peer.say(set(1, "/b/n", 7));
    await peer.say(set(2, "/b/n", 12));
    const expected = [["b", 7], ["made", 7], ["b", 12], ["rounded", 1], ["made", 12]];
    assert.deepEqual(heard, expected);
  });

  test("of a part hear nothing before there is a state", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("value");
    const part = store.select((state) => state.a);
    assert.equal(part.getState(), undefined);
    await peer.welcome();
    await peer.say(subscribed, snapshot(0, { a: 1 }));
    assert.equal(part.getState(), 1);
  });

  test("that leave while others are told, or come, don't disturb", async () => {
    const { peer, store } = await live();
    const heard = [];
    const end = store.subscribe(() => {
      heard.push("first");
      end();
      store.subscribe(() => heard.push("third"));
    });
    store.subscribe(() => heard.push("second"));
    await peer.say(set(0, "/a", 1));
    assert.deepEqual(heard, ["first", "second"]);
    await peer.say(set(1, "/a", 2));
    assert.deepEqual(heard, ["first", "second", "second", "third"]);
  });

  test("that fail keep no other from hearing", async (context) => {
    const { peer, store } = await live();
    const errors = [];
    globalThis.reportError = (error) => errors.push(error.message);
    context.after(() => delete globalThis.reportError);
    const heard = [];
    store.subscribe(() => {
      throw new Error("broken");
    });
    store.subscribe(() => heard.push(store.getState().a));
    await peer.say(set(0, "/a", 1));
    assert.deepEqual(heard, [1]);
    assert.deepEqual(errors, ["broken"]);
  });

  test("may dispatch", async () => {
    const peer = new TestPeer();
    const optimistic = (n, action) => n + action.payload;
    const store = peer.connection.select("n", undefined, { optimistic });
    await peer.welcome();
    await peer.say(subscribed, snapshot(0, 0));
    const heard = [];
    store.subscribe(() => {
      heard.push(store.getState());
      if (store.getState() < 3) store.dispatch({ type: "add", payload: 1 });
    });
    store.dispatch({ type: "add", payload: 1 });
    assert.deepEqual(heard, [1, 2, 3]);
  });
});
