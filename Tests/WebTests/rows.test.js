import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { connect } from "../../Clients/Web/storecast/index.js";
import { PatchedValue } from "../../Clients/Web/storecast/wire/PatchedValue.js";
import { noteTouches, touchedMembers } from "../../Clients/Web/storecast/wire/TouchedMembers.js";
import { Seed } from "./support/Seed.js";
import { missing, Server, until, WebSocket } from "./support/Server.js";
import { TestPeer } from "./support/TestPeer.js";

const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };

/** A store of a value, which `patch` changes. */
async function live(value, options) {
  const peer = new TestPeer();
  const store = peer.connection.select("value", undefined, options);
  await peer.welcome();
  await peer.say(subscribed, { op: "snapshot", sub: 5, v: 0, value });
  let v = 0;
  const frame = (...ops) => ({ op: "patch", sub: 5, from: v, v: (v += 1), ops });
  return { peer, store, patch: (...ops) => peer.say(frame(...ops)), frame };
}

const replace = (path, value) => ({ op: "replace", path, value });
const add = (path, value) => ({ op: "add", path, value });
const remove = (path) => ({ op: "remove", path });

describe("rows of a table", () => {
  const cards = { a: { text: "A" }, c: { text: "C" } };

  test("have listeners that hear of their row alone", async () => {
    const { store, patch } = await live({ cards, n: 0 });
    const rows = store.select((state) => state.cards).rows();
    const heard = [];
    for (const id of ["a", "b", "c"]) {
      const row = rows.row(id);
      row.subscribe(() => heard.push([id, row.getState()?.text]));
    }
    const { c } = store.getState().cards;
    await patch(replace("/cards/a/text", "AA"), replace("/n", 1));
    assert.deepEqual(heard.splice(0), [["a", "AA"]]);
    assert.equal(rows.row("c").getState(), c);
    await patch(add("/cards/b", { text: "B" }));
    assert.deepEqual(heard.splice(0), [["b", "B"]]);
    await patch(remove("/cards/a"), replace("/cards/b", { text: "BB" }));
    assert.deepEqual(heard.splice(0), [["a", undefined], ["b", "BB"]]);
    await patch(replace("/n", 2));
    assert.deepEqual(heard, []);
  });

  test("have ids in the order of bytes, the same until one comes or goes", async () => {
    const { store, patch } = await live({ "\u{1f600}": 1, 10: 1, 9: 1, "\uff5e": 1, "": 1 });
    const rows = store.rows();
    assert.deepEqual(rows.ids.getState(), ["", "10", "9", "\uff5e", "\u{1f600}"]);
    let calls = 0;
    rows.ids.subscribe(() => (calls += 1));
    const ids = rows.ids.getState();
    await patch(replace("/9", 2));
    assert.equal(rows.ids.getState(), ids);
    assert.equal(calls, 0);
    await patch(add("/1a", 2), remove("/"));
    assert.deepEqual(rows.ids.getState(), ["10", "1a", "9", "\uff5e", "\u{1f600}"]);
    assert.equal(calls, 1);
  });

  test("have ids that are those of now, also if nobody listens", async () => {
    const { store, patch } = await live({ a: ["1", {}], c: ["3", {}] });
    const [rows, ordered] = [store.rows(), store.orderedRows()];
    const ids = () => [rows, ordered].map(({ ids }) => ids.getState().join(""));
    assert.deepEqual(ids(), ["ac", "ac"]);
    await patch(add("/b", ["2", {}]));
    assert.deepEqual(ids(), ["abc", "abc"]);
    await patch(remove("/a"), replace("/b/0", "4"));
    assert.deepEqual(ids(), ["bc", "cb"]);
    // Somebody has listened, and doesn't any more.
    for (const { ids } of [rows, ordered]) ids.subscribe(() => {})();
    await patch(add("/d", ["3a", {}]));
    assert.deepEqual(ids(), ["bcd", "cdb"]);
  });

  test("have ids in an order of one's own", async () => {
    const { store } = await live({ 10: 1, 9: 1, "-1": 1 });
    const rows = store.rows((one, other) => Number(one) - Number(other));
    assert.deepEqual(rows.ids.getState(), ["-1", "9", "10"]);
  });

  test("may be called anything that a member can be", async () => {
    const { store, patch } = await live(JSON.parse('{"__proto__": 1, "toString": 2}'));
    const rows = store.rows();
    assert.deepEqual(rows.ids.getState(), ["__proto__", "toString"]);
    assert.equal(rows.row("constructor").getState(), undefined);
    const heard = [];
    rows.subscribe((changes) => heard.push(...changes));
    await patch(replace("/__proto__", 3), add("/constructor", 4));
    assert.deepEqual(heard, [
      { id: "__proto__", old: 1, new: 3, isMove: false },
      { id: "constructor", old: undefined, new: 4, isMove: false },
    ]);
    assert.equal(rows.row("__proto__").getState(), 3);
  });

  test("of an ordered table are in the order of their ranks, and move", async () => {
    const table = { a: ["t", { n: 1 }], b: ["V", { n: 2 }], c: ["k", { n: 3 }] };
    const { store, patch } = await live(table);
    const rows = store.orderedRows();
    assert.deepEqual(rows.ids.getState(), ["b", "c", "a"]);
    const heard = [];
    const row = rows.row("a");
    row.subscribe(() => heard.push(row.getState().n));
    rows.subscribe((changes) => heard.push(...changes.map(({ id, isMove }) => [id, isMove])));
    rows.ids.subscribe(() => heard.push(rows.ids.getState().join("")));
    await patch(replace("/a/0", "X"));
    assert.deepEqual(heard.splice(0), ["bac", ["a", true]], "the row is the same");
    await patch(replace("/a/0", "Y"));
    assert.deepEqual(heard.splice(0), [["a", true]], "the order is the same");
    await patch(replace("/a/1/n", 9));
    assert.deepEqual(heard.splice(0), [9, ["a", false]]);
  });

  test("are none as long as there is no state, or none that is a table", async () => {
    const peer = new TestPeer();
    const store = peer.connection.select("value");
    const rows = store.rows();
    const heard = [];
    rows.subscribe((changes) => heard.push(changes));
    assert.equal(rows.ids.getState(), undefined);
    assert.equal(rows.row("a").getState(), undefined);
    await peer.welcome();
    await peer.say(subscribed, { op: "snapshot", sub: 5, v: 0, value: null });
    assert.deepEqual(rows.ids.getState(), []);
    await peer.say({ op: "patch", sub: 5, from: 0, v: 1, ops: [replace("", { a: 1 })] });
    assert.deepEqual(rows.ids.getState(), ["a"]);
    assert.deepEqual(heard, [[{ id: "a", old: undefined, new: 1, isMove: false }]]);
  });

  test("show what is dispatched, and what becomes of it", async () => {
    const optimistic = (table, { payload }) => ({ ...table, [payload]: { text: "new" } });
    const { peer, store } = await live(cards, { optimistic });
    const rows = store.rows();
    const heard = [];
    for (const id of ["a", "b"]) {
      const row = rows.row(id);
      row.subscribe(() => heard.push([id, row.getState()?.text]));
    }
    store.dispatch({ type: "add", payload: "b" });
    assert.deepEqual(heard.splice(0), [["b", "new"]]);
    await peer.heard();
    const reject = { op: "reject", seq: 1, code: "no", title: "No.", retryable: false };
    await peer.say(reject, { op: "transaction", v: 0, count: 0, acked: 1 });
    assert.deepEqual(heard, [["b", undefined]]);
  });

  test("are one store each while it has listeners, and followed no longer than that", async () => {
    const { peer, store } = await live(cards);
    const rows = store.rows();
    const row = rows.row("a");
    const ends = [row.subscribe(() => {}), row.subscribe(() => {}), rows.ids.subscribe(() => {})];
    assert.equal(rows.row("a"), row);
    for (const end of ends) {
      await peer.platform.advance(6000);
      assert.deepEqual(await peer.heard(), []);
      end();
    }
    assert.notEqual(rows.row("a"), row);
    await peer.platform.advance(6000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
  });

  test("are looked at where a patch touched them, however many there are", async () => {
    const table = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`r${n}`, { n }]));
    const { store, patch } = await live(table);
    const rows = store.rows();
    let calls = 0;
    for (let n = 0; n < 1000; n += 1) rows.row(`r${n}`).subscribe(() => (calls += 1));
    const before = store.getState();
    await patch(replace("/r7/n", -1), add("/new", {}), remove("/r8"));
    assert.deepEqual([...touchedMembers(before, store.getState())], ["r7", "new", "r8"]);
    assert.equal(calls, 2);
  });

  for (const isOrdered of [false, true]) {
    const kind = isOrdered ? "an ordered table" : "a table";
    for (const start of [1, 2, 3, 4, 5, 6]) {
      test(`of ${kind} are what a look at all says (seed ${start})`, async () => {
        await followAtRandom(new Seed(start), isOrdered);
      });
    }
  }
});

/** What rows say through random patches, beside a look at everything. */
async function followAtRandom(seed, isOrdered) {
  const ids = Array.from({ length: 12 }, (_, n) => `${seed.one(["a", "é", "\uff5e", "😀"])}${n}`);
  const member = () => (isOrdered ? [rank(), { n: seed.below(3) }] : { n: seed.below(3) });
  // All differ, as a server's do.
  const ranks = new Set();
  const rank = () => {
    for (;;) {
      const text = `${seed.one(["A", "a", "0"])}${seed.below(1000)}`;
      if (!ranks.has(text)) return ranks.add(text), text;
    }
  };
  const { peer, store, frame } = await live({ cards: {}, n: 0 });
  const part = store.select((state) => state.cards);
  const rows = isOrdered ? part.orderedRows() : part.rows();
  const listeners = new Map();
  const counts = { ids: 0 };
  const replica = new Map();
  const toRow = (value) => (isOrdered ? value?.[1] : value);
  let known = { ids: rows.ids.getState(), table: part.getState() };
  rows.subscribe((changes) => {
    for (const change of changes) {
      assert.equal(replica.get(change.id), change.old);
      assert.equal(part.getState()[change.id] && toRow(part.getState()[change.id]), change.new);
      if (change.new === undefined) replica.delete(change.id);
      else replica.set(change.id, change.new);
    }
  });
  rows.ids.subscribe(() => (counts.ids += 1));
  for (let round = 0; round < 120; round += 1) {
    for (const id of ids.filter(() => seed.chance(0.1))) {
      if (listeners.has(id)) listeners.get(id).end(), listeners.delete(id);
      else {
        const listener = { calls: 0, row: rows.row(id) };
        listener.end = listener.row.subscribe(() => (listener.calls += 1));
        listeners.set(id, listener);
      }
    }
    const model = new PatchedValue(structuredClone(store.getState()));
    const frames = Array.from({ length: 1 + seed.below(3) }, () => {
      const ops = Array.from({ length: 1 + seed.below(3) }, () => {
        const table = model.value.cards;
        const present = Object.keys(table);
        const op = draw(table, present);
        model.apply([op]);
        return op;
      });
      return frame(...ops);
    });
    const looksBetween = seed.chance(0.3);
    for (const each of frames) {
      peer.socket.onmessage({ data: JSON.stringify(each) });
      if (looksBetween) rows.ids.getState();
    }
    await peer.heard();
    check();
  }

  function draw(table, present) {
    const id = seed.one(present.length > 0 && seed.chance(0.7) ? present : ids);
    const path = `/cards/${id}`;
    const within = isOrdered ? `${path}/1/n` : `${path}/n`;
    if (seed.chance(0.03)) return replace("/cards", { [id]: member() });
    if (seed.chance(0.1)) return replace("/n", seed.below(9));
    if (!Object.hasOwn(table, id)) return add(path, member());
    const other = seed.one(ids);
    if (!isOrdered && seed.chance(0.1)) {
      return { op: seed.one(["move", "copy"]), from: path, path: `/cards/${other}` };
    }
    if (isOrdered && seed.chance(0.3)) return replace(`${path}/0`, rank());
    return seed.one([remove(path), replace(path, member()), replace(within, seed.below(3))]);
  }

  function check() {
    const table = part.getState();
    const places = Object.entries(table).map(([id, value]) => [isOrdered ? value[0] : id, id]);
    places.sort((one, other) => Buffer.compare(Buffer.from(one[0]), Buffer.from(other[0])));
    const expected = places.map(([, id]) => id);
    const now = rows.ids.getState();
    assert.deepEqual(now, expected);
    const isSame = JSON.stringify(known.ids) === JSON.stringify(expected);
    if (isSame) assert(counts.ids <= 1, "they may have come and gone in between");
    else assert.equal(counts.ids, 1);
    counts.ids = 0;
    for (const id of ids) {
      const value = Object.hasOwn(table, id) ? toRow(table[id]) : undefined;
      const old = Object.hasOwn(known.table, id) ? toRow(known.table[id]) : undefined;
      assert.equal(rows.row(id).getState(), value);
      assert.equal(replica.get(id), value);
      const listener = listeners.get(id);
      if (!listener) continue;
      assert.equal(listener.calls, value === old ? 0 : 1, id);
      listener.calls = 0;
    }
    known = { ids: now, table };
  }
}

describe("touched members", () => {
  test("aren't known of versions that don't come from one another", () => {
    const [one, other] = [{ a: 1 }, { a: 2 }];
    noteTouches(one);
    noteTouches(other);
    assert.equal(touchedMembers(one, other), undefined);
  });

  test("are kept apart for two values that begin alike", () => {
    const start = { a: 1, b: 1 };
    noteTouches(start);
    const [one, other] = [new PatchedValue(start), new PatchedValue(start)];
    one.apply([replace("/a", 2)]);
    other.apply([replace("/b", 2)]);
    assert.deepEqual([...touchedMembers(start, one.value)], ["a"]);
    assert.equal(touchedMembers(start, other.value), undefined);
    assert.equal(touchedMembers(one.value, other.value), undefined);
  });

  test("are forgotten when they are too many", () => {
    const value = new PatchedValue({ a: 1 });
    const start = value.value;
    noteTouches(start);
    for (let n = 0; n < 4096; n += 1) value.apply([replace("/a", n)]);
    assert.equal(touchedMembers(start, value.value).size, 1);
    value.apply([replace("/a", 0)]);
    assert.equal(touchedMembers(start, value.value), undefined);
    const late = value.value;
    value.apply([add("/b", 0)]);
    assert.deepEqual([...touchedMembers(late, value.value)], ["b"]);
  });
});

describe("with a real server", { skip: missing }, () => {
  test("rows of a document follow its edits", async (context) => {
    // So long that a patch is shorter than a snapshot.
    const cards = { c1: { text: "One" }, c2: { text: "Two".repeat(100) } };
    const server = await Server.start({ document: { cards } });
    const connection = connect(server.url, { WebSocket, notify: "microtask" });
    context.after(() => (connection.close(), server.stop()));
    const rows = connection.select("value", { path: "/cards" }).rows();
    const heard = [];
    rows.subscribe((changes) => heard.push(...changes.map(({ id }) => id)));
    await until(rows.ids, () => rows.ids.getState());
    heard.length = 0;
    const two = rows.row("c2").getState();
    const set = (path, value) => connection.dispatch({ type: "set", payload: { path, value } });
    await set("/cards/c1/text", "Uno");
    await set("/cards/c0", { text: "Zero" });
    await connection.dispatch({ type: "remove", payload: { path: "/cards/c1" } });
    assert.deepEqual(rows.ids.getState(), ["c0", "c2"]);
    assert.equal(rows.row("c2").getState(), two);
    assert.deepEqual(heard, ["c1", "c0", "c1"]);
  });
});
