import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { connect } from "../../Clients/Web/storecast/index.js";
import { settle } from "./support/ManualPlatform.js";
import { stateOf, TestPeer } from "./support/TestPeer.js";

const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
const snapshot = { op: "snapshot", sub: 5, v: 0, value: { tea: 2 } };
const patch = (from, tea) => ({
  op: "patch",
  sub: 5,
  from,
  v: from + 1,
  ops: [{ op: "replace", path: "/tea", value: tea }],
});
const vote = { type: "vote" };

/** A promise that a test looks at later. */
function later(promise) {
  promise.catch(() => {});
  return promise;
}

/** A connection that is live, and a store with its first state. */
async function live(options) {
  const peer = new TestPeer();
  const store = peer.connection.select("votes", undefined, options);
  await peer.welcome();
  await peer.say(subscribed, snapshot);
  return { peer, store };
}

describe("an event", () => {
  test("tells every status, also those that no frame shows", async () => {
    const peer = new TestPeer();
    const seen = [];
    peer.connection.on("status", ({ state }) => seen.push(state));
    await peer.welcome();
    await peer.cut();
    peer.connection.close();
    await settle();
    assert.deepEqual(seen, ["connecting", "live", "offline", "connecting", "closed"]);
  });

  test("may be answered by closing the connection, and nothing comes behind that", async () => {
    const peer = new TestPeer();
    peer.connection.on("status", ({ state }) => state === "offline" && peer.connection.close());
    await peer.welcome();
    await peer.end();
    assert.equal(peer.connection.status.state, "closed");
    assert.equal(peer.platform.nextDue, Infinity, "no other try is planned");
  });

  test("tells rejections with their actions, beside onRejected", async () => {
    const { peer } = await live();
    const seen = [];
    peer.connection.on("rejected", ({ code }, { type }) => seen.push([code, type]));
    peer.connection.dispatch(vote);
    await peer.heard();
    await peer.say({ op: "transaction", v: 0, count: 0, acked: 1 });
    assert.deepEqual(seen, []);
    peer.connection.dispatch(vote);
    await peer.heard();
    const no = { op: "reject", seq: 2, code: "conflict", title: "No.", retryable: false };
    await peer.say(no, { op: "transaction", v: 0, count: 0, acked: 2 });
    assert.deepEqual(seen, [["conflict", "vote"]]);
    assert.deepEqual(peer.rejections, seen);
  });

  test("tells which selection the server has ended, and why", async () => {
    const { peer, store } = await live();
    const seen = [];
    peer.connection.on("lapsed", (lapsed) => seen.push(lapsed));
    await peer.say({ op: "lapse", sub: 5, code: "renewed" });
    assert.deepEqual(seen, [], "one that is asked for again hasn't ended");
    await peer.say({ ...subscribed, ref: 2 }, snapshot, { op: "lapse", sub: 5, code: "forbidden" });
    const rejection = store.problem;
    assert.equal(rejection.code, "forbidden");
    assert.deepEqual(seen, [{ selection: "votes", params: undefined, rejection }]);
  });

  test("tells of a selection that a server which is back doesn't give any more", async () => {
    const { peer } = await live();
    const seen = [];
    peer.connection.on("lapsed", ({ rejection }) => seen.push(rejection.code));
    await peer.cut();
    await peer.welcome();
    await peer.say({ op: "error", code: "forbidden", title: "No.", ref: 2 });
    assert.deepEqual(seen, ["forbidden"]);
  });

  test("doesn't tell of a selection that there never was", async () => {
    const peer = new TestPeer();
    peer.connection.select("vote");
    peer.connection.on("lapsed", () => assert.fail());
    await peer.welcome();
    await peer.say({ op: "error", code: "unknown-selection", title: "No.", ref: 1 });
  });

  test("ends when its function is called, or its signal aborted", async () => {
    const peer = new TestPeer();
    const seen = [];
    const control = new AbortController();
    const { signal } = control;
    const end = peer.connection.on("status", () => seen.push("one"));
    peer.connection.on("status", () => seen.push("other"), { signal });
    await peer.welcome();
    end();
    await peer.end();
    control.abort();
    peer.connection.reconnect();
    await settle();
    assert.deepEqual(seen, ["one", "other", "one", "other", "other"]);
    peer.connection.on("status", () => seen.push("late"), { signal });
    peer.connection.close();
    await settle();
    assert.equal(seen.length, 5);
  });

  test("isn't told to who was left while others were told", async () => {
    const peer = new TestPeer();
    const seen = [];
    let end;
    peer.connection.on("status", () => end());
    end = peer.connection.on("status", ({ state }) => seen.push(state));
    await peer.welcome();
    assert.deepEqual(seen, []);
  });

  test("has a name that there is", () => {
    const { connection } = new TestPeer();
    assert.throws(() => connection.on("stauts", () => {}), /no event 'stauts'/);
  });
});

describe("a state that is asked for once", () => {
  test("is the server's, and is followed no longer", async () => {
    const peer = new TestPeer();
    const state = peer.connection.once("votes", { of: "tea" });
    const [, asked] = await peer.welcome();
    assert.deepEqual(asked, { op: "subscribe", ref: 1, select: "votes", params: { of: "tea" } });
    assert.deepEqual(await peer.say(subscribed, snapshot), [{ op: "unsubscribe", ref: 1 }]);
    assert.deepEqual(await state, { tea: 2 });
  });

  test("is there at once if a store follows it, which goes on", async () => {
    const { peer, store } = await live();
    assert.deepEqual(await peer.connection.once("votes"), { tea: 2 });
    assert.deepEqual(await peer.heard(), []);
    await peer.say(patch(0, 3));
    assert.equal(store.getState().tea, 3);
  });

  test("is no state from before the connection was lost", async () => {
    const { peer } = await live();
    await peer.end();
    const state = peer.connection.once("votes");
    assert.equal(await stateOf(state), "pending");
    const { retryAt } = peer.connection.status;
    await peer.platform.advance(retryAt - peer.platform.time());
    await peer.welcome({ v: 1 });
    await peer.say({ ...subscribed, ref: 2 }, patch(0, 9));
    assert.deepEqual(await state, { tea: 9 });
  });

  test("isn't there if there is no such selection", async () => {
    const peer = new TestPeer();
    const state = later(peer.connection.once("vote"));
    await peer.welcome();
    await peer.say({ op: "error", code: "unknown-selection", title: "No.", ref: 1 });
    assert.equal(await stateOf(state), "unknown-selection");
  });

  test("isn't waited for where the client is refused, or the connection closed", async () => {
    const peer = new TestPeer();
    const state = later(peer.connection.once("votes"));
    await peer.open();
    const bye = { op: "bye", code: "forbidden", title: "No.", reconnect: false };
    await peer.say({ ...bye, after: 0, jitter: 0 });
    await peer.end(1008);
    await assert.rejects(state, { code: "forbidden" });
    await assert.rejects(peer.connection.once("votes"), { code: "forbidden" });
    peer.connection.close();
    await assert.rejects(peer.connection.once("votes"), { code: "closed" });
    const other = new TestPeer();
    const waiting = later(other.connection.once("votes"));
    other.connection.close();
    await assert.rejects(waiting, { code: "closed" });
  });

  test("isn't waited for when its signal is aborted, and the server is told", async () => {
    const peer = new TestPeer();
    const control = new AbortController();
    const state = peer.connection.once("votes", undefined, { signal: control.signal });
    await peer.welcome();
    control.abort(new Error("Too late."));
    await assert.rejects(state, /Too late/);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
    await assert.rejects(
      peer.connection.once("votes", undefined, { signal: control.signal }),
      /Too late/,
    );
    assert.deepEqual(await peer.heard(), [], "nothing is asked");
  });
});

describe("a signal", () => {
  test("closes the connection", async () => {
    const control = new AbortController();
    const peer = new TestPeer({ signal: control.signal });
    await peer.welcome();
    control.abort();
    assert.equal(peer.connection.status.state, "closed");
    assert.throws(() => connect("ws://test/", { WebSocket: class {}, signal: control.signal }), {
      name: "AbortError",
    });
  });

  test("ends the wait for an outcome, not the action", async () => {
    const { peer, store } = await live();
    const control = new AbortController();
    const outcome = store.dispatch(vote, { signal: control.signal });
    assert.equal((await peer.heard())[0].op, "dispatch");
    control.abort();
    await assert.rejects(outcome, { name: "AbortError" });
    assert.equal(peer.connection.pendingCount, 1);
    await peer.say({ op: "transaction", v: 1, count: 1, acked: 1 }, patch(0, 3));
    assert.equal(peer.connection.pendingCount, 0);
    const other = store.dispatch(vote, { signal: control.signal });
    await assert.rejects(other, { name: "AbortError" });
    assert.equal(peer.connection.pendingCount, 0, "nothing is dispatched behind it");
  });

  test("that nobody aborts changes nothing of an outcome", async () => {
    const { peer, store } = await live();
    const { signal } = new AbortController();
    const outcomes = [store.dispatch(vote, { signal }), store.dispatch(vote, { signal })];
    await peer.heard();
    const no = { op: "reject", seq: 2, code: "conflict", title: "No.", retryable: false };
    await peer.say(no, { op: "transaction", v: 1, count: 1, acked: 2 }, patch(0, 3));
    assert.equal((await outcomes[0]).version, 1);
    assert.equal(await stateOf(outcomes[1]), "conflict");
  });

  test("releases a store, which those who listen keep", async () => {
    const control = new AbortController();
    const { peer, store } = await live({ signal: control.signal });
    const end = store.subscribe(() => {});
    control.abort();
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), []);
    end();
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
    const { signal } = control;
    assert.throws(() => peer.connection.select("votes", undefined, { signal }), {
      name: "AbortError",
    });
  });

  test("releases a store to which nobody has listened", async () => {
    const control = new AbortController();
    const { peer } = await live({ signal: control.signal });
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), []);
    control.abort();
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
  });
});

describe("for await", () => {
  test("gives the state that there is, and the newest when somebody comes for it", async () => {
    const { peer, store } = await live();
    const states = store[Symbol.asyncIterator]();
    assert.deepEqual((await states.next()).value, { tea: 2 });
    await peer.say(patch(0, 3));
    await peer.say(patch(1, 4));
    assert.deepEqual((await states.next()).value, { tea: 4 }, "not those in between");
    const next = states.next();
    assert.equal(await stateOf(next), "pending");
    await peer.say(patch(2, 5));
    assert.deepEqual((await next).value, { tea: 5 });
  });

  test("ends when the store is closed, or the connection", async () => {
    for (const what of ["store", "connection"]) {
      const { peer, store } = await live();
      const seen = [];
      const loop = (async () => {
        for await (const { tea } of store) seen.push(tea);
      })();
      await settle();
      (what === "store" ? store : peer.connection).close();
      await loop;
      assert.deepEqual(seen, [2]);
      const late = [];
      for await (const state of peer.connection.status.state === "closed" ? store : []) {
        late.push(state.tea);
      }
      assert.deepEqual(late, what === "store" ? [] : [2], "a closed one has its last state");
    }
  });

  test("that is left follows the selection no more", async () => {
    const { peer, store } = await live();
    for await (const { tea } of store) if (tea === 2) break;
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
  });

  test("ends for who waits when somebody else leaves it", async () => {
    const { store } = await live();
    const states = store[Symbol.asyncIterator]();
    await states.next();
    const next = states.next();
    assert.deepEqual(await states.return(), { done: true, value: undefined });
    assert.deepEqual(await next, { done: true, value: undefined });
    assert.deepEqual(await states.next(), { done: true, value: undefined });
  });

  test("throws why the server sends nothing", async () => {
    const { peer, store } = await live();
    const states = store[Symbol.asyncIterator]();
    await states.next();
    const next = later(states.next());
    await peer.say({ op: "lapse", sub: 5, code: "forbidden" });
    assert.equal(await stateOf(next), "forbidden");
    assert.equal((await states.next()).done, true);
  });

  test("gives parts of a state when they change", async () => {
    const { peer, store } = await live();
    const isMuch = store.select(({ tea }) => tea > 3).select((much) => (much ? "much" : "little"));
    const states = isMuch[Symbol.asyncIterator]();
    assert.equal((await states.next()).value, "little");
    const next = states.next();
    await peer.say(patch(0, 3));
    assert.equal(await stateOf(next), "pending");
    await peer.say(patch(1, 4));
    assert.equal((await next).value, "much");
    peer.connection.close();
    assert.equal((await states.next()).done, true);
  });

  test("gives the pages that are shown", async () => {
    const page = (first, more) => ({ rows: [first], hasBefore: !more, hasAfter: more, end: [1] });
    const peer = new TestPeer();
    const pages = peer.connection.pages("page", (place) => ({ limit: 1, ...place }));
    await peer.welcome();
    await peer.say(subscribed, { ...snapshot, value: page("a", true) });
    const states = pages[Symbol.asyncIterator]();
    assert.deepEqual((await states.next()).value.rows, ["a"]);
    pages.next();
    const next = states.next();
    await peer.heard();
    await peer.say({ ...subscribed, ref: 2, sub: 6 }, { ...snapshot, sub: 6, value: page("b") });
    assert.deepEqual((await next).value.rows, ["b"]);
    const last = states.next();
    pages.close();
    assert.equal((await last).done, true);
  });
});
