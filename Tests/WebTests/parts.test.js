import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { TestPeer } from "./support/TestPeer.js";

const subscribed = (ref, sub) => ({ op: "subscribed", ref, sub, tag: `t${sub}`, bytes: 1 });
const current = (sub, v) => ({ op: "current", sub, v });

/** A peer whose server sends parts, and a store that was told to be sub 1. */
async function peerWithStore({ members = { parts: 1 }, ...options } = {}) {
  const peer = new TestPeer(options);
  const store = peer.connection.select("tea");
  await peer.welcome({ v: 1, ...members });
  await peer.say(subscribed(1, 1));
  return { peer, store };
}

/** The server says these parts. */
async function say(peer, ...parts) {
  for (const part of parts) peer.socket.onmessage({ data: part });
  return peer.heard();
}

/** The client comes back, and is told that its subscription is sub 1 again. */
async function comeBack(peer, members = { parts: 1 }) {
  await peer.cut();
  const said = await peer.welcome({ v: 1, ...members });
  const { ref } = said.find(({ op }) => op === "subscribe");
  await peer.say(subscribed(ref, 1));
  return said;
}

describe("values in parts", () => {
  test("are asked for, unless none is taken", async () => {
    assert.equal((await new TestPeer().open())[0].parts, 1);
    assert.equal((await new TestPeer({ largestValue: 0 }).open())[0].parts, undefined);
  });

  test("are shown with the message behind the last part", async () => {
    const { peer, store } = await peerWithStore();
    const states = [];
    store.subscribe(() => states.push(store.getState()));
    await say(peer, "1 1 0 6 [1", "1 1 2 6 ,2", "1 1 4 6 3]");
    assert.equal(store.getState(), undefined);
    await peer.say(current(1, 1));
    assert.deepEqual(states, [[1, 23]]);
    assert.equal(store.position.version, 1);
  });

  test("go on with a patch, also in a transaction", async () => {
    const { peer, store } = await peerWithStore();
    await say(peer, "1 1 0 3 [1]");
    const ops = [{ op: "add", path: "/0", value: 0 }];
    const patch = { op: "patch", sub: 1, from: 1, v: 3, ops };
    await peer.say({ op: "transaction", v: 4, count: 1 }, patch);
    assert.deepEqual(store.getState(), [0, 1]);
    assert.equal(store.position.version, 4);
  });

  test("were in vain if a snapshot comes", async () => {
    const { peer, store } = await peerWithStore();
    await say(peer, "1 1 0 3 [1]");
    await peer.say({ op: "snapshot", sub: 1, v: 5, value: 2 });
    assert.equal(store.getState(), 2);
  });

  test("replace an old value at once, and are forgotten with the connection", async () => {
    const { peer, store } = await peerWithStore();
    await peer.say({ op: "snapshot", sub: 1, v: 1, value: "old" });
    await comeBack(peer);
    await say(peer, '1 2 0 5 "new');
    await comeBack(peer);
    await say(peer, '1 2 0 5 "new', '1 2 4 5 "');
    assert.equal(store.getState(), "old");
    await peer.say(current(1, 2));
    assert.equal(store.getState(), "new");
    assert.deepEqual(peer.troubles, []);
  });

  test("are counted in bytes of UTF-8", async () => {
    const { peer, store } = await peerWithStore();
    await say(peer, '1 1 0 8 "é', "1 1 3 8 \u{1F600}", '1 1 7 8 "');
    await peer.say(current(1, 1));
    assert.equal(store.getState(), "é\u{1F600}");
  });

  const transaction = '{"op":"transaction","v":2,"count":1}';
  const violations = {
    "repeated parts": ["1 1 0 6 [1", "1 1 0 6 [1"],
    "missing parts": ["1 1 0 6 [1", "1 1 3 6 1]"],
    "parts in another order": ["1 1 2 6 ,2"],
    "parts of another subscription": ["1 1 0 6 [1", "2 1 2 6 ,2"],
    "parts of another version": ["1 1 0 6 [1", "1 2 2 6 ,2"],
    "parts of another size": ["1 1 0 6 [1", "1 1 2 7 ,2"],
    "empty parts": ["1 1 0 6 [1", "1 1 2 6 "],
    "parts of nothing": ["1 1 0 0 "],
    "parts without end": ["1 1 0 3 [1]", "1 1 3 3 x"],
    "a value twice": ["1 1 0 3 [1]", "1 1 0 3 [1]"],
    "a part that is longer than the whole": ["1 1 0 2 [1]"],
    "what isn't JSON": ["1 1 0 3 [1}"],
    "what is no part": ["1 1 [1]"],
    "parts in a transaction": [transaction, "1 1 0 3 [1]"],
    "a change between the parts": ["1 1 0 6 [1", '{"op":"current","sub":1,"v":1}'],
    "two values at a time": ["1 1 0 6 [1", "2 1 0 3 [1]"],
  };
  for (const [name, messages] of Object.entries(violations)) {
    test(`${name} end the connection`, async () => {
      const { peer, store } = await peerWithStore();
      await say(peer, ...messages.slice(0, -1));
      assert.deepEqual(peer.troubles, []);
      await say(peer, messages.at(-1));
      assert.equal(peer.troubles.length, 1);
      assert.equal(peer.connection.status.state, "offline");
      assert.equal(store.getState(), undefined);
    });
  }

  test("come only from a server that has said so, in a form that is known", async () => {
    for (const members of [{}, { parts: 2 }]) {
      const { peer } = await peerWithStore({ members });
      await say(peer, "1 1 0 3 [1]");
      assert.equal(peer.troubles.length, 1);
      assert.equal(peer.connection.status.state, "offline");
    }
  });

  test("that are too large fail their store, and no other", async () => {
    const { peer, store } = await peerWithStore({ largestValue: 3 });
    const other = peer.connection.select("milk");
    await peer.say(subscribed(2, 2));
    assert.deepEqual(await say(peer, "1 1 0 4 [1"), [{ op: "unsubscribe", ref: 1 }]);
    assert.equal(store.problem.code, "too-large");
    // What was on its way is passed over.
    await say(peer, "1 1 2 4 2]");
    await peer.say(current(1, 1));
    await say(peer, "2 1 0 3 [1]");
    await peer.say(current(2, 1));
    assert.deepEqual(other.getState(), [1]);
    assert.equal(store.getState(), undefined);
    assert.deepEqual(peer.troubles, []);
  });

  test("that nobody wants any more are passed over", async () => {
    for (const cut of [0, 1, 2]) {
      const { peer, store } = await peerWithStore();
      const messages = ["1 1 0 6 [1", "1 1 2 6 ,2", "1 1 4 6 3]"];
      await say(peer, ...messages.slice(0, cut));
      store.close();
      const other = peer.connection.select("milk");
      await say(peer, messages[cut]);
      await peer.say(subscribed(2, 2));
      await say(peer, "2 1 0 3 [1]");
      await peer.say(current(2, 1));
      assert.deepEqual(other.getState(), [1]);
      assert.deepEqual(peer.troubles, []);
    }
  });

  test("end with a lapse, and the next may begin", async () => {
    const { peer, store } = await peerWithStore();
    await say(peer, "1 1 0 6 [1");
    await peer.say({ op: "lapse", sub: 1, code: "renewed" }, subscribed(2, 2));
    await say(peer, "2 1 0 3 [1]");
    await peer.say(current(2, 1));
    assert.deepEqual(store.getState(), [1]);
    assert.deepEqual(peer.troubles, []);
  });
});
