import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { epoch, stateOf, TestPeer } from "./support/TestPeer.js";

const vote = (n) => ({ type: "vote", payload: { n } });
const ofDispatches = (frames) => frames.filter(({ op }) => op === "dispatch");
const seqs = (frames) => ofDispatches(frames).map(({ seq }) => seq);

describe("dispatches", () => {
  test("hello comes first, and dispatches only behind the welcome", async () => {
    const peer = new TestPeer({ token: async () => "secret" });
    peer.connection.dispatch(vote(1));
    const client = "1".padStart(32, "0");
    assert.deepEqual(await peer.open(), [
      { op: "hello", proto: 1, client, connection: 1, token: "secret", parts: 1 },
    ]);
    const frames = await peer.welcome({ v: 7 });
    assert.deepEqual(ofDispatches(frames), [{ op: "dispatch", seq: 1, base: 7, action: vote(1) }]);
    assert.equal(peer.socket.protocols, "storecast.v1");
  });

  test("an outcome is the position at which the server settled it", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 7 });
    const outcome = peer.connection.dispatch(vote(1));
    assert.equal(peer.connection.pendingCount, 1);
    assert.deepEqual(await peer.heard(), [{ op: "dispatch", seq: 1, base: 7, action: vote(1) }]);
    assert.equal(await stateOf(outcome), "pending");
    await peer.say({ op: "transaction", v: 8, count: 0, acked: 1 });
    assert.deepEqual(await stateOf(outcome), { epoch, version: 8 });
    assert.equal(peer.connection.pendingCount, 0);
    peer.connection.dispatch(vote(2));
    const second = { op: "dispatch", seq: 2, base: 8, settled: 1, action: vote(2) };
    assert.deepEqual(await peer.heard(), [second]);
  });

  test("a dispatch says which span it belongs to, also when it is sent again", async () => {
    const spans = ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", undefined, "\n"];
    const peer = new TestPeer({ traceparent: () => spans[peer.connection.pendingCount] });
    await peer.welcome({ v: 7 });
    for (const n of [1, 2, 3]) peer.connection.dispatch(vote(n));
    const told = (frames) => ofDispatches(frames).map(({ traceparent }) => traceparent);
    assert.deepEqual(told(await peer.heard()), [spans[0], undefined, undefined]);
    await peer.cut();
    assert.deepEqual(told(await peer.welcome({ v: 7 })), [spans[0], undefined, undefined]);
  });

  test("dispatches made together share a message", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    for (let n = 1; n <= 3; n += 1) peer.connection.dispatch(vote(n));
    await peer.platform.advance(0);
    assert.equal(peer.socket.sent.length, 1);
    assert.deepEqual(seqs(await peer.heard()), [1, 2, 3]);
  });

  test("a message holds no more than the server takes", async () => {
    const peer = new TestPeer();
    const limits = { message: 1000, window: 1024, subscriptions: 256, depth: 64 };
    await peer.welcome({ limits });
    for (let n = 1; n <= 30; n += 1) peer.connection.dispatch(vote("é".repeat(n)));
    await peer.platform.advance(0);
    assert(peer.socket.sent.length > 1);
    assert(peer.socket.sent.every((text) => Buffer.byteLength(text) <= 1000));
    assert.deepEqual(seqs(await peer.heard()).length, 30);
  });

  test("the term that the server says is said back with what was seen", async () => {
    const peer = new TestPeer();
    const [first] = await peer.welcome({ v: 7, term: "first" });
    assert(!("term" in first));
    await peer.cut();
    const [second] = await peer.welcome({ v: 7, term: "first" });
    assert.equal(second.term, "first");
    await peer.say({ op: "term", term: "second" });
    await peer.cut();
    const [third] = await peer.welcome({ v: 7 });
    assert.equal(third.term, "second");
    await peer.cut();
    const [fourth] = await peer.welcome({ v: 7 });
    assert(!("term" in fourth), "that server has none");
  });

  test("what has no outcome is sent again, with its old seq and base", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 7 });
    const outcomes = [1, 2, 3].map((n) => peer.connection.dispatch(vote(n)));
    await peer.heard();
    await peer.say({ op: "transaction", v: 8, count: 0, acked: 1 });
    await peer.cut();
    const [hello, ...frames] = await peer.welcome({ v: 20, lastSeq: 2 });
    assert.equal(hello.settled, 1);
    assert.deepEqual(hello.seen, { epoch, v: 8 });
    assert.deepEqual(
      ofDispatches(frames).map(({ seq, base }) => [seq, base]),
      [[3, 7]],
    );
    assert.deepEqual(await stateOf(outcomes[1]), { epoch, version: 20 });
    assert.equal(await stateOf(outcomes[2]), "pending");
  });

  const subscribed = { op: "subscribed", ref: 2, sub: 5, tag: "t", bytes: 1 };
  const noSelection = { op: "error", code: "unknown-selection", title: "No.", ref: 2 };
  for (const [about, end] of [
    ["closes", ({ store }) => store.close()],
    ["fails", ({ peer }) => peer.say(noSelection)],
    ["lapses", ({ peer }) => peer.say(subscribed, { op: "lapse", sub: 5, code: "forbidden" })],
    [
      "gets too large",
      async ({ peer }) => {
        await peer.say(subscribed);
        peer.socket.onmessage({ data: "5 8 0 4 [1" });
      },
    ],
  ]) {
    test(`an outcome that a store holds up is told when the store ${about}`, async () => {
      const peer = new TestPeer({ largestValue: 3 });
      const store = peer.connection.select("value");
      await peer.welcome({ v: 7 });
      await peer.say({ ...subscribed, ref: 1 }, { op: "snapshot", sub: 5, v: 7, value: 1 });
      const outcome = peer.connection.dispatch(vote(1));
      await peer.heard();
      await peer.cut();
      await peer.welcome({ v: 8, lastSeq: 1, parts: 1 });
      assert.equal(await stateOf(outcome), "pending", "the store doesn't show it yet");
      await end({ peer, store });
      await peer.heard();
      assert.deepEqual(await stateOf(outcome), { epoch, version: 8 });
      assert.equal(peer.connection.pendingCount, 0);
    });
  }

  test("the welcome tells which were rejected meanwhile", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    const outcomes = [1, 2].map((n) => peer.connection.dispatch(vote(n)));
    await peer.heard();
    await peer.cut();
    const rejected = [{ seq: 2, code: "conflict", title: "Too late.", detail: "By far." }];
    await peer.welcome({ v: 9, lastSeq: 2, rejected });
    assert.deepEqual(await stateOf(outcomes[0]), { epoch, version: 9 });
    const error = await outcomes[1].catch((error) => error);
    const { name, code, title, detail, message } = error;
    const expected = ["Rejection", "conflict", "Too late.", "By far.", "Too late. By far."];
    assert.deepEqual([name, code, title, detail, message], expected);
    assert.deepEqual(peer.rejections, [["conflict", "vote"]]);
  });

  test("what an acknowledgement overtakes is not sent again", async () => {
    const peer = new TestPeer();
    const limits = { message: 1 << 20, window: 2, subscriptions: 256, depth: 64 };
    await peer.welcome({ limits });
    for (let n = 1; n <= 4; n += 1) peer.connection.dispatch(vote(n));
    await peer.heard();
    await peer.say({ op: "transaction", v: 2, count: 0, acked: 2 });
    await peer.cut();
    assert.deepEqual(seqs(await peer.welcome({ v: 2, lastSeq: 2, limits })), [3, 4]);
    await peer.cut();
    const frames = await peer.welcome({
      v: 2,
      lastSeq: 2,
      limits: { ...limits, window: 1 },
    });
    assert.deepEqual(seqs(frames), [3]);
    assert.deepEqual(seqs(await peer.say({ op: "transaction", v: 4, count: 0, acked: 4 })), []);
    assert.equal(peer.connection.pendingCount, 0);
    peer.connection.dispatch(vote(5));
    assert.deepEqual(seqs(await peer.heard()), [5]);
  });

  test("the window counts from the last acknowledgement, not from rejections", async () => {
    const peer = new TestPeer();
    const limits = { message: 1 << 20, window: 2, subscriptions: 256, depth: 64 };
    await peer.welcome({ limits });
    for (let n = 1; n <= 5; n += 1) peer.connection.dispatch(vote(n));
    assert.deepEqual(seqs(await peer.heard()), [1, 2]);
    const reject = { op: "reject", seq: 1, code: "no", title: "No.", retryable: false };
    assert.deepEqual(seqs(await peer.say(reject)), []);
    const settled = { op: "transaction", v: 1, count: 0, acked: 2 };
    assert.deepEqual(seqs(await peer.say(settled)), [3, 4]);
  });

  test("a retryable reject makes it go back, and wait as long as it says", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 12 });
    const outcomes = [1, 2, 3].map((n) => peer.connection.dispatch(vote(n)));
    await peer.heard();
    await peer.say({ op: "transaction", v: 13, count: 0, acked: 1 });
    const reject = { op: "reject", seq: 2, code: "unavailable", title: "Not now." };
    assert.deepEqual(await peer.say({ ...reject, retryable: true, retryAfter: 0.5 }), []);
    peer.connection.dispatch(vote(4));
    await peer.platform.advance(499);
    assert.deepEqual(await peer.heard(), []);
    await peer.platform.advance(1);
    const again = ofDispatches(await peer.heard());
    assert.deepEqual(
      again.map(({ seq, base }) => [seq, base]),
      [
        [2, 12],
        [3, 12],
        [4, 13],
      ],
    );
    assert.equal(await stateOf(outcomes[1]), "pending");
  });

  test("what is to be sent again is not skipped, whatever else is rejected meanwhile", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    for (let n = 1; n <= 3; n += 1) peer.connection.dispatch(vote(n));
    await peer.heard();
    await peer.say({ op: "transaction", v: 1, count: 0, acked: 1 });
    const reject = { op: "reject", code: "unavailable", title: "Not now.", retryable: true };
    await peer.say({ ...reject, seq: 2, retryAfter: 1 });
    // 1 is settled, and 9 was never sent.
    for (const seq of [1, 9, 3]) await peer.say({ ...reject, seq, retryAfter: 0.1 });
    await peer.platform.advance(999);
    assert.deepEqual(await peer.heard(), []);
    await peer.platform.advance(1);
    assert.deepEqual(seqs(await peer.heard()), [2, 3]);
  });

  test("a hold ends with its connection", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    peer.connection.dispatch(vote(1));
    await peer.heard();
    const reject = { op: "reject", seq: 1, code: "unavailable", title: "Not now." };
    await peer.say({ ...reject, retryable: true, retryAfter: 3600 });
    await peer.cut();
    assert.deepEqual(seqs(await peer.welcome()), [1]);
  });

  test("a rejection is told when it is settled, and never of what is sent again", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    const outcomes = [1, 2].map((n) => peer.connection.dispatch(vote(n)));
    await peer.heard();
    await peer.say({ op: "reject", seq: 2, code: "conflict", title: "No.", retryable: false });
    assert.equal(await stateOf(outcomes[1]), "pending");
    await peer.cut();
    // Another history: this server knows nothing of the reject.
    assert.deepEqual(seqs(await peer.welcome({ epoch: "new", v: 0 })), [1, 2]);
    await peer.say({ op: "transaction", v: 2, count: 0, acked: 2 });
    assert.deepEqual(await stateOf(outcomes[1]), { epoch: "new", version: 2 });
  });

  test("in a new history, no base is above its version", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 50 });
    const first = peer.connection.dispatch(vote(1));
    peer.connection.dispatch(vote(2));
    await peer.heard();
    await peer.say({ op: "transaction", v: 51, count: 0, acked: 1 });
    await peer.cut();
    const [hello, dispatch] = await peer.welcome({ epoch: "new", v: 3, lastSeq: 0 });
    assert.equal(hello.settled, 1);
    assert.deepEqual(dispatch, { op: "dispatch", seq: 2, base: 3, settled: 1, action: vote(2) });
    assert.deepEqual(await stateOf(first), { epoch, version: 51 });
  });

  test("in a new history, what was sent keeps a lower base; what wasn't begins there", async () => {
    const peer = new TestPeer();
    await peer.welcome({ v: 5 });
    peer.connection.dispatch(vote(1));
    await peer.heard();
    await peer.cut();
    peer.connection.dispatch(vote(2));
    const [, ...frames] = await peer.welcome({ epoch: "new", v: 9, lastSeq: 0 });
    assert.deepEqual(frames.map(({ seq, base }) => [seq, base]), [[1, 5], [2, 9]]);
  });

  test("numbers that this client never sent settle nothing as reduced", async () => {
    const peer = new TestPeer();
    const outcome = peer.connection.dispatch(vote(1));
    await peer.welcome({ v: 9, lastSeq: 3 });
    assert.equal(await stateOf(outcome), "outcome-unknown");
    peer.connection.dispatch(vote(2));
    assert.deepEqual(seqs(await peer.heard()), [4]);
  });

  test("an acknowledgement of what was never sent settles nothing", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    await peer.say({ op: "transaction", v: 1, count: 0, acked: 9007199254740991 });
    const outcome = peer.connection.dispatch(vote(1));
    assert.deepEqual(seqs(await peer.heard()), [1]);
    assert.equal(await stateOf(outcome), "pending");
  });

  test("what can't be sent is rejected at once, and takes no number", async () => {
    const peer = new TestPeer();
    const limits = { message: 300, window: 1024, subscriptions: 256, depth: 6 };
    await peer.welcome({ limits });
    const nested = { a: { b: { c: { d: 1 } } } };
    const circle = {};
    circle.itself = circle;
    const unusable = [vote("x".repeat(200)), { type: "a", payload: nested }, { type: 5 }, {}];
    unusable.push(vote(10n), vote("\ud800"), { type: "a", payload: circle });
    // 210 bytes are too many, 70 characters aren't.
    unusable.push(vote("\u5b57".repeat(70)));
    for (const action of unusable) {
      assert.equal(await stateOf(peer.connection.dispatch(action)), "invalid");
    }
    assert.deepEqual(await peer.heard(), []);
    peer.connection.dispatch({ type: "a" });
    const [frame] = await peer.heard();
    assert.deepEqual(frame, { op: "dispatch", seq: 1, base: 0, action: { type: "a" } });
  });

  test("an action is sent as it was when it was dispatched", async () => {
    const peer = new TestPeer();
    const action = { type: "vote", payload: { n: 1, none: undefined }, secret: "not sent" };
    peer.connection.dispatch(action);
    action.payload.n = 2;
    const frames = ofDispatches(await peer.welcome());
    assert.deepEqual(frames[0].action, { type: "vote", payload: { n: 1 } });
  });

  test("an outbox has bounds", async () => {
    const peer = new TestPeer();
    for (let n = 0; n < 17; n += 1) peer.connection.dispatch(vote("x".repeat(1 << 19)));
    const outcomes = [];
    for (let n = 0; n < 16; n += 1) {
      outcomes.push(await stateOf(peer.connection.dispatch(vote("x".repeat(1 << 19)))));
    }
    assert.equal(outcomes.at(-1), "outbox-full");
    assert.equal(peer.connection.pendingCount, 31);
  });

  test("what has its outcome takes no place in the outbox", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    for (let n = 1; n <= 40; n += 1) {
      const dispatch = peer.connection.dispatch(vote("x".repeat(1 << 19)));
      await peer.heard();
      await peer.say({ op: "transaction", v: n, count: 0, acked: n });
      assert.equal((await stateOf(dispatch)).version, n, `of ${n} half megabytes`);
    }
  });

  test("closing ends every wait", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    const store = peer.connection.select("value");
    const before = peer.connection.dispatch(vote(1));
    peer.connection.close();
    assert.equal(await stateOf(before), "closed");
    assert.equal(await stateOf(peer.connection.dispatch(vote(2))), "closed");
    assert.equal(store.problem.code, "closed");
    assert.equal(peer.socket.isClosed, true);
    assert.equal(peer.socket.closeCode, 1000);
    assert.deepEqual(peer.connection.status, { state: "closed" });
    assert.equal(peer.platform.watchers, 0);
    assert.equal(peer.platform.nextDue, Infinity);
    assert.deepEqual(peer.rejections, []);
  });

  test("an outcome that nobody waits for is no unhandled rejection", async () => {
    const peer = new TestPeer();
    const unhandled = [];
    const listener = (error) => unhandled.push(error);
    process.on("unhandledRejection", listener);
    peer.connection.dispatch(vote(1));
    peer.connection.close();
    await peer.platform.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listener);
    assert.deepEqual(unhandled, []);
  });
});
