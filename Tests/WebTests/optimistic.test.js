import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { stateOf, TestPeer } from "./support/TestPeer.js";

const add = (item) => ({ type: "add", payload: { item } });
const optimistic = (list, { type, payload }) => (type === "add" ? [...list, payload.item] : list);
const snapshot = (v, value) => ({ op: "snapshot", sub: 5, v, value });
const subscribed = (ref) => ({ op: "subscribed", ref, sub: 5, tag: "t", bytes: 1 });
const insert = (from, v, index, value) => {
  const ops = [{ op: "add", path: `/${index}`, value }];
  return { op: "patch", sub: 5, from, v, ops };
};

/** A peer with one optimistic store, and everything that it has shown. */
async function live(value = ["a"]) {
  const peer = new TestPeer();
  const store = peer.connection.select("list", undefined, { optimistic });
  const shown = [];
  store.subscribe(() => shown.push(store.getState().join("")));
  await peer.welcome({ v: 7 });
  await peer.say(subscribed(1), snapshot(7, value));
  const dispatch = async (item) => {
    const outcome = peer.connection.dispatch(add(item));
    await peer.heard();
    return { outcome };
  };
  return { peer, store, shown, dispatch };
}

describe("an optimistic store", () => {
  test("shows a dispatch when dispatch returns, and tells its listeners before", async () => {
    const { peer, store, shown } = await live();
    peer.connection.dispatch(add("b"));
    assert.deepEqual(store.getState(), ["a", "b"]);
    assert.deepEqual(shown, ["a", "ab"]);
  });

  test("shows each action once when it is settled", async () => {
    const { peer, shown, dispatch } = await live();
    const { outcome } = await dispatch("b");
    await peer.say({ op: "transaction", v: 8, count: 1, acked: 1 }, insert(7, 8, 1, "b"));
    assert.equal((await stateOf(outcome)).version, 8);
    assert(shown.every((list, place) => list === (place === 0 ? "a" : "ab")), shown);
  });

  test("re-runs what is pending on what others do", async () => {
    const { peer, shown, dispatch } = await live();
    await dispatch("b");
    await dispatch("c");
    await peer.say(insert(7, 8, 1, "x"));
    await peer.say({ op: "transaction", v: 9, count: 1, acked: 1 }, insert(8, 9, 2, "b"));
    await peer.say({ op: "transaction", v: 10, count: 1, acked: 2 }, insert(9, 10, 3, "c"));
    assert.deepEqual([...new Set(shown)], ["a", "ab", "abc", "axbc"]);
  });

  test("takes back what is rejected, and nothing else", async () => {
    const { peer, shown, dispatch } = await live();
    await dispatch("b");
    const { outcome } = await dispatch("c");
    const reject = { op: "reject", seq: 2, code: "invalid", title: "No.", retryable: false };
    await peer.say(reject, { op: "transaction", v: 8, count: 1, acked: 2 }, insert(7, 8, 1, "b"));
    assert.equal(await stateOf(outcome), "invalid");
    assert.deepEqual([...new Set(shown)], ["a", "ab", "abc"]);
    assert.equal(shown.at(-1), "ab");
  });

  test("doesn't flicker when a welcome settles what the mirror doesn't hold yet", async () => {
    const { peer, store, shown, dispatch } = await live();
    const { outcome } = await dispatch("b");
    await peer.cut();
    await peer.welcome({ v: 8, lastSeq: 1 });
    assert.deepEqual(store.getState(), ["a", "b"]);
    assert.equal(await stateOf(outcome), "pending", "the store doesn't show it by itself yet");
    await peer.say(subscribed(2), insert(7, 8, 1, "b"));
    assert.equal((await stateOf(outcome)).version, 8);
    assert.deepEqual([...new Set(shown)], ["a", "ab"]);
  });

  test("doesn't flicker when a welcome settles what changes nothing here", async () => {
    const { peer, store, dispatch } = await live();
    const { outcome } = await dispatch("b");
    await peer.cut();
    await peer.welcome({ v: 12, lastSeq: 1 });
    // The value has an older version than the welcome, and is known to be right all the same.
    await peer.say(subscribed(2), { op: "current", sub: 5, v: 7 });
    assert.equal((await stateOf(outcome)).version, 12);
    assert.deepEqual(store.getState(), ["a"]);
  });

  test("doesn't show twice what it holds while the outcome waits for another store", async () => {
    const { peer, shown, dispatch } = await live();
    peer.connection.select("other", undefined).subscribe(() => {});
    await peer.say({ ...subscribed(2), sub: 6 }, { op: "snapshot", sub: 6, v: 7, value: 1 });
    const { outcome } = await dispatch("b");
    await peer.say({ op: "lapse", sub: 6, code: "renewed" });
    // Somebody else took it away in the same turn: the value is as it was.
    await peer.say({ op: "transaction", v: 9, count: 0, acked: 1 });
    assert.equal(await stateOf(outcome), "pending");
    assert.deepEqual(shown, ["a", "ab", "a"]);
    await peer.say({ ...subscribed(3), sub: 7 }, { op: "snapshot", sub: 7, v: 9, value: 2 });
    assert.equal((await stateOf(outcome)).version, 9);
  });

  test("goes on showing what is sent once more", async () => {
    const { peer, store, dispatch } = await live();
    await dispatch("b");
    await peer.cut();
    await peer.welcome({ epoch: "new", v: 3, lastSeq: 0 });
    assert.deepEqual(store.getState(), ["a", "b"]);
    await peer.say(subscribed(2), snapshot(3, ["z"]));
    assert.deepEqual(store.getState(), ["z", "b"]);
    await peer.say({ op: "transaction", v: 4, count: 1, acked: 1 }, insert(3, 4, 1, "b"));
    assert.deepEqual(store.getState(), ["z", "b"]);
  });

  test("knows what was settled before it was first answered", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 7 });
    const outcome = peer.connection.dispatch(add("b"));
    await peer.heard();
    const store = peer.connection.select("list", undefined, { optimistic });
    await peer.say({ op: "transaction", v: 8, count: 0, acked: 1 });
    assert.equal((await stateOf(outcome)).version, 8);
    await peer.say(subscribed(1), snapshot(8, ["a", "b"]));
    assert.deepEqual(store.getState(), ["a", "b"]);
  });

  test("runs a dispatch once for all looks, and on nothing before the first state", async () => {
    const peer = new TestPeer();
    const runs = [];
    const reducer = (list, action) => (runs.push(action.payload.item), optimistic(list, action));
    const store = peer.connection.select("list", undefined, { optimistic: reducer });
    peer.connection.dispatch(add("b"));
    assert.equal(store.getState(), undefined);
    await peer.welcome();
    await peer.say(subscribed(1), snapshot(0, ["a"]));
    for (let n = 0; n < 5; n += 1) assert.deepEqual(store.getState(), ["a", "b"]);
    peer.connection.dispatch(add("c"));
    assert.deepEqual(store.getState(), ["a", "b", "c"]);
    assert.deepEqual(runs, ["b", "c"]);
  });

  test("leaves out an action at which its reducer fails", async () => {
    const peer = new TestPeer();
    const reducer = (list, action) => {
      if (action.payload.item === "b") throw new Error("No b.");
      return optimistic(list, action);
    };
    const store = peer.connection.select("list", undefined, { optimistic: reducer });
    await peer.welcome();
    await peer.say(subscribed(1), snapshot(0, ["a"]));
    for (const item of ["b", "c"]) peer.connection.dispatch(add(item));
    assert.deepEqual(store.getState(), ["a", "c"]);
    assert.equal(peer.troubles.length, 1);
  });

  test("that is looked at again after a while holds no outcome and shows no gap", async () => {
    const { peer, store, dispatch } = await live();
    store.close();
    await peer.heard();
    const { outcome } = await dispatch("b");
    store.subscribe(() => {});
    assert.deepEqual(store.getState(), ["a", "b"]);
    await peer.heard();
    await peer.say({ op: "transaction", v: 8, count: 0, acked: 1 });
    assert.deepEqual(store.getState(), ["a", "b"]);
    await peer.say(subscribed(2), insert(7, 8, 1, "b"));
    assert.deepEqual(store.getState(), ["a", "b"]);
    assert.equal((await stateOf(outcome)).version, 8);
  });
});
