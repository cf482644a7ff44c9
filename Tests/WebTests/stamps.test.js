import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "./support/testing.js";
import { connect } from "../../Clients/Web/storecast/index.js";
import { sha256, stampId } from "../../Clients/Web/storecast/session/stampId.js";
import { missing, Server, until, WebSocket } from "./support/Server.js";
import { TestPeer } from "./support/TestPeer.js";

describe("a stamp's id", () => {
  test("is made of the digest that NIST defines", () => {
    // FIPS 180-4's examples, and every way in which a text can end in a block.
    assert.equal(sha256("abc").slice(0, 16), "ba7816bf8f01cfea");
    for (let length = 0; length < 200; length++) {
      const text = "storecast".repeat(23).slice(0, length);
      assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"));
    }
  });

  test("is that of the protocol's example, and of the Swift client's tests", () => {
    assert.equal(stampId("6f1d3a5c9b7e42d08a4c1e6b5f927d30", 1), "k77s4gc64pkhcdr6ts8jng3fvj");
    assert.equal(stampId("0123456789abcdef", 7), "u15uirdbujhp2dogsf30a1qs8u");
  });

  test("is known to optimistic reducers, the same each time that they run", async () => {
    const peer = new TestPeer();
    const seen = [];
    const optimistic = (state, action, { id }) => [...state, (seen.push(id), id)];
    const store = peer.connection.select("list", undefined, { optimistic });
    const [{ client }] = await peer.welcome({ v: 7 });
    const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
    await peer.say(subscribed, { op: "snapshot", sub: 5, v: 7, value: [] });
    peer.connection.dispatch({ type: "add" });
    peer.connection.dispatch({ type: "add" });
    assert.deepEqual(store.getState(), [stampId(client, 1), stampId(client, 2)]);
    await peer.say({ op: "snapshot", sub: 5, v: 8, value: ["x"] });
    assert.deepEqual(store.getState().slice(1), [stampId(client, 1), stampId(client, 2)]);
    assert.equal(new Set(seen).size, 2);
  });

  test("comes with who the server takes this client for, as soon as that is known", async () => {
    const peer = new TestPeer();
    const optimistic = (state, action, { sender }) => [...state, sender?.id ?? "somebody"];
    const store = peer.connection.select("list", undefined, { optimistic });
    await peer.welcome({ v: 7 });
    const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
    await peer.say(subscribed, { op: "snapshot", sub: 5, v: 7, value: [] });
    peer.connection.dispatch({ type: "sign" });
    assert.deepEqual(store.getState(), ["somebody"]);
    await peer.end();
    peer.connection.reconnect();
    let heard = 0;
    store.subscribe(() => (heard += 1));
    await peer.welcome({ v: 7, identity: { id: "ada", roles: [] } });
    assert.deepEqual(store.getState(), ["ada"]);
    assert.equal(heard, 1);
  });

  test("stands for the client where its number is 0", async () => {
    const peer = new TestPeer();
    const [{ client }] = await peer.welcome({ v: 7 });
    assert.equal(peer.connection.participant, stampId(client, 0));
  });

  test("is the one that the server gives", { skip: missing }, async (context) => {
    const server = await Server.start();
    context.after(() => server.stop());
    const connection = connect(server.url, { WebSocket, notify: "microtask" });
    const optimistic = (page, { type }, { id }) =>
      type === "AddCard" ? { ...page, rows: [...page.rows, { id, isPending: true }] } : page;
    const store = connection.select("column", { column: "todo" }, { optimistic });
    await until(store, () => store.getState());
    const outcome = connection.dispatch({
      type: "AddCard",
      payload: { column: "todo", text: "Name me" },
    });
    const [shown] = store.getState().rows;
    assert.equal(shown.isPending, true);
    await outcome;
    const [kept] = store.getState().rows;
    assert.deepEqual([kept.id, kept.text], [shown.id, "Name me"]);
    connection.close();
  });
});
