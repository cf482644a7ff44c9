import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { epoch, TestPeer, welcome } from "./support/TestPeer.js";

const snapshot = (sub, v, value) => ({ op: "snapshot", sub, v, value });
const subscribed = (ref, sub, tag = "t") => ({ op: "subscribed", ref, sub, tag, bytes: 1 });
const patch = (sub, from, v, ...ops) => ({ op: "patch", sub, from, v, ops });
const replace = (path, value) => ({ op: "replace", path, value });

/** A peer with one live store, as sub 5. */
async function live(value = { tea: 2, coffee: 3 }, options) {
  const peer = new TestPeer(options);
  const store = peer.connection.select("value", { path: "/votes" });
  await peer.welcome({ v: 7 });
  await peer.say(subscribed(1, 5), snapshot(5, 7, value));
  return { peer, store };
}

function heard(store) {
  const states = [];
  store.subscribe(() => states.push(store.getState()));
  return states;
}

describe("mirrors", () => {
  test("a selection is asked for with hello", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("value", { path: "/votes" });
    peer.connection.select("chat");
    peer.connection.select("card", null);
    const [hello, ...subscribes] = await peer.open();
    assert.equal(hello.op, "hello");
    assert.deepEqual(subscribes, [
      { op: "subscribe", ref: 1, select: "value", params: { path: "/votes" } },
      { op: "subscribe", ref: 2, select: "chat" },
      { op: "subscribe", ref: 3, select: "card", params: null },
    ]);
    assert.equal(store.getState(), undefined);
  });

  test("snapshots and patches are followed", async () => {
    const { peer, store } = await live();
    const states = heard(store);
    await peer.say(patch(5, 7, 8, replace("/tea", 3)));
    await peer.say(patch(5, 8, 12, replace("/tea", 4)));
    await peer.say(snapshot(5, 13, null));
    assert.deepEqual(states, [{ tea: 3, coffee: 3 }, { tea: 4, coffee: 3 }, null]);
    assert.deepEqual(store.position, { epoch, version: 13 });
  });

  test("what has not changed stays identical, and what was handed out never changes", async () => {
    const { peer, store } = await live({ one: { n: 1 }, other: { n: 1 } });
    const before = store.getState();
    await peer.say(patch(5, 7, 8, replace("/one/n", 2)));
    const after = store.getState();
    assert.deepEqual(before, { one: { n: 1 }, other: { n: 1 } });
    assert.equal(after.other, before.other);
    assert.notEqual(after.one, before.one);
    assert.equal(store.getState(), after);
  });

  test("equal selections share a store and a subscription", async () => {
    const { peer, store } = await live();
    assert.equal(peer.connection.select("value", { path: "/votes" }), store);
    const optimistic = (state) => state;
    const other = peer.connection.select("value", { path: "/votes" }, { optimistic });
    assert.notEqual(other, store);
    assert.equal(peer.connection.select("value", { path: "/votes" }, { optimistic }), other);
    assert.deepEqual(other.getState(), { tea: 2, coffee: 3 });
    assert.deepEqual(await peer.heard(), []);
  });

  test("selections whose parameters only the server finds equal share its copy", async () => {
    const { peer, store } = await live();
    const other = peer.connection.select("value", { path: "/votes", more: 1 });
    assert.equal((await peer.heard())[0].ref, 2);
    await peer.say(subscribed(2, 5), { op: "current", sub: 5, v: 7 });
    assert.deepEqual(other.getState(), { tea: 2, coffee: 3 });
    await peer.say(patch(5, 7, 8, replace("/tea", 3)));
    assert.deepEqual([store.getState().tea, other.getState().tea], [3, 3]);
    assert.deepEqual(await peer.heard(), []);
    other.close();
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 2 }]);
    await peer.say(patch(5, 8, 9, replace("/tea", 4)));
    assert.equal(store.getState().tea, 4);
  });

  test("one subscription with two mirrors begins anew as a whole", async () => {
    const { peer, store } = await live();
    const other = peer.connection.select("value", { path: "/votes", more: true });
    await peer.say(subscribed(2, 5), { op: "current", sub: 5, v: 7 });
    const frames = await peer.say(patch(5, 6, 8, replace("/tea", 3)));
    const ask = (ref, params) => ({ op: "subscribe", ref, select: "value", params });
    // As long as one of them has the value, the server has no reason to send it.
    assert.deepEqual(frames, [
      { op: "unsubscribe", ref: 1 },
      { op: "unsubscribe", ref: 2 },
      ask(3, { path: "/votes" }),
      ask(4, { path: "/votes", more: true }),
    ]);
    await peer.say(subscribed(3, 5), subscribed(4, 5), snapshot(5, 8, { tea: 3 }));
    assert.deepEqual([store.getState(), other.getState()], [{ tea: 3 }, { tea: 3 }]);
  });

  test("a transaction takes effect when it is complete", async () => {
    const { peer, store } = await live();
    const log = peer.connection.select("value", { path: "/log" });
    await peer.say(subscribed(2, 8), snapshot(8, 7, []));
    const states = [];
    for (const each of [store, log]) {
      each.subscribe(() => states.push([store.getState().tea, log.getState().length]));
    }
    await peer.say({ op: "transaction", v: 9, count: 2 });
    await peer.say(patch(5, 7, 9, replace("/tea", 9)));
    assert.equal(store.getState().tea, 2);
    await peer.say(patch(8, 7, 8, { op: "add", path: "/0", value: "tea" }));
    assert.deepEqual(states, [
      [9, 1],
      [9, 1],
    ]);
    assert.deepEqual(log.position, { epoch, version: 9 });
  });

  test("a transaction that the connection doesn't survive is dropped", async () => {
    const { peer, store } = await live();
    await peer.say({ op: "transaction", v: 9, count: 2 }, patch(5, 7, 9, replace("/tea", 9)));
    await peer.cut();
    const [, subscribe] = await peer.open();
    assert.deepEqual(subscribe.at, { epoch, v: 7, tag: "t" });
    assert.equal(store.getState().tea, 2);
  });

  test("after a reconnect a subscription goes on from where it was", async () => {
    const { peer, store } = await live();
    const states = heard(store);
    await peer.say(patch(5, 7, 9, replace("/tea", 3)));
    await peer.say({ op: "transaction", v: 12, count: 0 });
    assert.deepEqual(store.position, { epoch, version: 12 });
    await peer.cut();
    const [, subscribe] = await peer.welcome({ v: 20 });
    // A server that was restarted is most likely to know the highest.
    assert.deepEqual(subscribe.at, { epoch, v: 12, tag: "t" });
    assert.equal(subscribe.ref, 2);
    await peer.say(subscribed(2, 77), { op: "current", sub: 77, v: 8 });
    await peer.say(patch(77, 8, 21, replace("/tea", 4)));
    // It is told too that the store isn't live any more, and that it is again.
    assert.deepEqual(
      states.map(({ tea }) => tea),
      [3, 3, 3, 4],
    );
  });

  test("with another tag only a snapshot will do", async () => {
    const { peer, store } = await live();
    await peer.cut();
    await peer.welcome({ v: 7 });
    const again = await peer.say(subscribed(2, 5, "other"), { op: "current", sub: 5, v: 7 });
    assert.deepEqual(again, [
      { op: "unsubscribe", ref: 2 },
      { op: "subscribe", ref: 3, select: "value", params: { path: "/votes" } },
    ]);
    assert.equal(store.getState().tea, 2);
    await peer.say(subscribed(3, 5, "other"), snapshot(5, 7, { tea: 1 }));
    assert.deepEqual(store.getState(), { tea: 1 });
  });

  for (const [about, wrong] of [
    ["starts elsewhere", patch(5, 6, 8, replace("/tea", 9))],
    ["can't be applied", patch(5, 7, 8, replace("/tea", 9), replace("/cocoa", 1))],
    ["isn't one", patch(5, 7, 8, "replace")],
    ["grows by copying", patch(5, 7, 8, ...doublings(30))],
  ]) {
    test(`a patch that ${about} makes a mirror begin anew`, async () => {
      const { peer, store } = await live();
      const before = store.getState();
      const again = await peer.say(wrong);
      assert.deepEqual(again, [
        { op: "unsubscribe", ref: 1 },
        { op: "subscribe", ref: 2, select: "value", params: { path: "/votes" } },
      ]);
      assert.equal(store.getState(), before);
      // Under way before the server heard of it.
      await peer.say(patch(5, 8, 9, replace("/tea", 10)));
      assert.equal(store.getState(), before);
      await peer.say(subscribed(2, 5), snapshot(5, 9, { tea: 11 }));
      assert.deepEqual(store.getState(), { tea: 11 });
    });
  }

  function doublings(count) {
    const copies = Array.from({ length: count }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    return [{ op: "add", path: "/a", value: [] }, ...copies];
  }

  test("a patch can't reach a prototype", async () => {
    const { peer, store } = await live({});
    const ops = [
      { op: "add", path: "/__proto__", value: {} },
      { op: "add", path: "/__proto__/polluted", value: true },
    ];
    await peer.say(patch(5, 7, 8, ...ops));
    assert.equal({}.polluted, undefined);
    assert.equal(JSON.stringify(store.getState()), '{"__proto__":{"polluted":true}}');
    await peer.say(patch(5, 8, 9, { op: "remove", path: "/toString" }));
    assert.equal(typeof {}.toString, "function");
  });

  test("a subscription that the server ends fails, until the next connection", async () => {
    const { peer, store } = await live();
    let calls = 0;
    store.subscribe(() => (calls += 1));
    await peer.say({ op: "lapse", sub: 5, code: "forbidden" });
    assert.equal(store.problem.code, "forbidden");
    assert.equal(calls, 1);
    assert.equal(store.getState().tea, 2);
    await peer.cut();
    const [, subscribe] = await peer.welcome({ v: 8 });
    assert.equal(subscribe.ref, 2);
    await peer.say(subscribed(2, 5), { op: "current", sub: 5, v: 7 });
    assert.equal(store.problem, undefined);
    assert.equal(calls, 2);
  });

  test("a subscription that lapses by new roles is renewed", async () => {
    const { peer, store } = await live();
    const frames = await peer.say({ op: "lapse", sub: 5, code: "renewed" });
    const at = { epoch, v: 7, tag: "t" };
    const params = { path: "/votes" };
    assert.deepEqual(frames, [{ op: "subscribe", ref: 2, select: "value", params, at }]);
    assert.equal(store.problem, undefined);
  });

  test("an error that names a subscription is its problem", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("vaule");
    let calls = 0;
    store.subscribe(() => (calls += 1));
    await peer.welcome();
    const title = "The room has no such selection.";
    await peer.say({ op: "error", code: "unknown-selection", title, ref: 1 });
    assert.equal(store.problem.code, "unknown-selection");
    assert.equal(store.problem.title, title);
    assert.equal(calls, 1);
    store.close();
    assert.deepEqual(await peer.heard(), [], "there is nothing to unsubscribe");
  });

  test("one that failed, and closes while it is asked for again, is taken back", async () => {
    const { peer, store } = await live();
    await peer.say({ op: "lapse", sub: 5, code: "forbidden" });
    await peer.cut();
    const [, subscribe] = await peer.open();
    assert.equal(subscribe.ref, 2);
    store.close();
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 2 }]);
  });

  test("parameters that the server would not take fail here", async () => {
    const peer = new TestPeer();
    assert.throws(() => peer.connection.select("value", { bad: "\udc00" }), /surrogate/);
    const limits = { message: 1000, window: 1, subscriptions: 1, depth: 3 };
    await peer.welcome({ limits });
    const store = peer.connection.select("value", { a: { b: 1 } });
    assert.equal(store.problem.code, "invalid-params");
    assert.deepEqual(await peer.heard(), []);
  });

  test("a selection is followed a little longer than it has listeners", async () => {
    const { peer, store } = await live();
    const end = store.subscribe(() => {});
    end();
    await peer.platform.advance(4999);
    const endAgain = store.subscribe(() => {});
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), []);
    endAgain();
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
    await peer.say(patch(5, 7, 8, replace("/tea", 9)));
    assert.equal(store.getState().tea, 2);
    store.subscribe(() => {});
    assert.equal(peer.connection.select("value", { path: "/votes" }), store);
    const [subscribe] = await peer.heard();
    assert.deepEqual(subscribe.at, { epoch, v: 7, tag: "t" });
    await peer.say(subscribed(2, 5), patch(5, 7, 8, replace("/tea", 9)));
    assert.equal(store.getState().tea, 9);
  });

  test("the server may speak ahead of its time", async () => {
    const { peer, store } = await live();
    await peer.say({ op: "applause", sub: 5 }, snapshot(99, 8, 1), subscribed(44, 3));
    assert.equal(peer.connection.status.state, "live");
    assert.equal(store.getState().tea, 2);
  });

  const transaction = { op: "transaction", v: 9, count: 2 };
  for (const [about, ...frames] of [
    ["a part twice in a transaction", transaction, snapshot(5, 8, 1), snapshot(5, 9, 1)],
    ["a transaction in another", transaction, transaction],
    ["a second welcome", welcome({ v: 9 })],
    ["a frame without a member", { op: "snapshot", sub: 5, v: 8 }],
    ["a batch", [{ op: "pong", v: 9 }]],
  ]) {
    test(`${about} ends the connection, and another one is made`, async () => {
      const { peer, store } = await live();
      await peer.say(...frames);
      assert.equal(peer.connection.status.state, "offline");
      assert.equal(peer.socket.isClosed, true);
      assert.equal(store.getState().tea, 2);
      assert.equal(peer.troubles.length, 1);
    });
  }
});
