import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import { Rejection, TestRoom } from "../../Clients/Web/storecast/testing.js";
import { difference } from "../../Clients/Web/storecast/testing/difference.js";
import { PatchedValue } from "../../Clients/Web/storecast/wire/PatchedValue.js";
import { Seed } from "./support/Seed.js";
import { stateOf } from "./support/TestPeer.js";

/** A room of votes, in which nobody may vote for milk, and only the cook sees who voted. */
const votes = () =>
  new TestRoom({
    state: { counts: { tea: 0, coffee: { black: 0 } }, voters: [] },
    reduce: (state, { type, payload }, { id, sender }) => {
      if (payload.for === "milk") throw new Rejection("conflict", "There is no milk.", "At all.");
      if (payload.for === "crash") throw new Error("A mistake.");
      assert.equal(type, "vote");
      return {
        counts: { ...state.counts, tea: state.counts.tea + 1 },
        voters: [...state.voters, { id, name: sender.id }],
      };
    },
    selections: {
      counts: ({ counts }) => counts,
      voters: ({ voters }, params, { roles }) => {
        if (!roles.includes("cook")) throw new Rejection("forbidden", "Only cooks see that.");
        return voters.slice(-params.most);
      },
    },
  });
const tea = { type: "vote", payload: { for: "tea" } };
const milk = { type: "vote", payload: { for: "milk" } };

/** Shows one more at once. */
const optimistic = (counts) => ({ ...counts, tea: counts.tea + 1, isPending: true });

describe("a room in memory", () => {
  test("shows every client what one of them does", async () => {
    const room = votes();
    const [ada, bob] = [room.connect({ identity: { id: "ada" } }), room.connect()];
    const stores = [ada, bob].map((connection) => connection.select("counts"));
    await room.settled();
    assert.equal(ada.status.state, "live");
    const { version } = await ada.dispatch(tea);
    await room.settled();
    assert.deepEqual(stores.map((store) => store.getState().tea), [1, 1]);
    assert.deepEqual([version, room.version, room.state.voters[0].name], [1, 1, "ada"]);
    assert.equal(ada.identity.id, "ada");
  });

  test("keeps parts that don't change the same, as a server does", async () => {
    const room = votes();
    const store = room.connect().select("counts");
    await room.settled();
    const before = store.getState();
    room.dispatch(tea);
    await room.settled();
    assert.equal(store.getState().tea, 1);
    assert.equal(store.getState().coffee, before.coffee);
  });

  test("gives actions the ids that optimistic reducers are told", async () => {
    const room = votes();
    const ada = room.connect({ identity: { roles: ["cook"] } });
    const ids = [];
    const store = ada.select("voters", { most: 9 }, {
      optimistic: (voters, action, { id }) => {
        ids.push(id);
        return [...voters, { id }];
      },
    });
    await room.settled();
    ada.dispatch(tea);
    store.getState();
    await room.settled();
    assert.equal(room.state.voters[0].id, ids[0]);
  });

  test("rejects what its reducer rejects", async () => {
    const room = votes();
    const ada = room.connect();
    const seen = [];
    ada.on("rejected", ({ code, title, detail }) => seen.push([code, title, detail]));
    await assert.rejects(ada.dispatch(milk), { code: "conflict" });
    await room.settled();
    assert.deepEqual(seen, [["conflict", "There is no milk.", "At all."]]);
    assert.equal(room.version, 0);
  });

  test("rejects the next action for a test, and not the one behind it", async () => {
    const room = votes();
    const ada = room.connect();
    room.rejectNext("forbidden", "Not you.");
    const outcomes = [ada.dispatch(tea), ada.dispatch(tea)];
    await room.settled();
    assert.equal(await stateOf(outcomes[0]), "forbidden");
    assert.equal((await outcomes[1]).version, 1);
  });

  test("keeps what is pending so, until it goes on", async () => {
    const room = votes();
    const ada = room.connect();
    const store = ada.select("counts", undefined, { optimistic });
    await room.settled();
    room.pause();
    ada.dispatch(tea);
    await room.settled();
    assert.deepEqual([store.getState().tea, store.getState().isPending], [1, true]);
    assert.deepEqual([ada.pendingCount, room.version], [1, 0]);
    room.resume();
    await room.settled();
    assert.deepEqual([store.getState().tea, store.getState().isPending], [1, undefined]);
    assert.deepEqual([ada.pendingCount, room.version], [0, 1]);
  });

  test("takes everything once that is dispatched offline, when the client is back", async () => {
    const room = votes();
    const [ada, bob] = [room.connect(), room.connect()];
    const store = ada.select("counts");
    await room.settled();
    room.offline(ada);
    await room.settled();
    assert.equal(ada.status.state, "offline");
    assert.equal(bob.status.state, "live");
    for (let count = 0; count < 3; count += 1) ada.dispatch(tea);
    bob.dispatch(tea);
    await room.settled();
    assert.deepEqual([room.version, store.getState().tea, store.isLive], [1, 0, false]);
    room.online(ada);
    await room.settled();
    assert.deepEqual([room.version, store.getState().tea, store.isLive], [4, 4, true]);
    assert.equal(ada.pendingCount, 0);
  });

  test("shows a client that was offline what others did meanwhile", async () => {
    const room = votes();
    const [ada, bob] = [room.connect(), room.connect()];
    const store = ada.select("counts");
    await room.settled();
    room.offline(ada);
    bob.dispatch(tea);
    await room.settled();
    assert.equal(store.getState().tea, 0);
    room.online(ada);
    await room.settled();
    assert.equal(store.getState().tea, 1);
  });

  test("loses messages that are under way when the line is cut, and no action", async () => {
    const room = votes();
    const ada = room.connect();
    await room.settled();
    room.pause();
    const outcome = ada.dispatch(tea);
    await room.settled();
    room.offline();
    room.resume();
    await room.settled();
    assert.equal(room.version, 0);
    room.online();
    await outcome;
    assert.equal(room.version, 1);
  });

  test("refuses selections that there aren't, or that a viewer may not have", async () => {
    const room = votes();
    const ada = room.connect();
    const none = ada.select("vote");
    const voters = ada.select("voters", { most: 1 });
    await room.settled();
    assert.equal(none.problem.code, "unknown-selection");
    assert.equal(voters.problem.code, "forbidden");
    const cook = room.connect({ identity: { id: "cook", roles: ["cook"] } });
    assert.deepEqual(await cook.once("voters", { most: 1 }), []);
  });

  test("ends a selection that a viewer may not have any more", async () => {
    const room = new TestRoom({
      state: true,
      reduce: () => false,
      selections: {
        open: (isOpen) => {
          if (!isOpen) throw new Rejection("forbidden", "It's closed.");
          return 1;
        },
      },
    });
    const ada = room.connect();
    const store = ada.select("open");
    const seen = [];
    ada.on("lapsed", ({ selection }) => seen.push(selection));
    await room.settled();
    room.dispatch({ type: "close" });
    await room.settled();
    assert.deepEqual([store.getState(), store.problem.code, seen], [1, "forbidden", ["open"]]);
  });

  test("tells the test of a mistake in its rules, and the client that it failed", async () => {
    const room = votes();
    const ada = room.connect();
    const outcome = ada.dispatch({ type: "vote", payload: { for: "crash" } });
    await assert.rejects(room.settled(), /A mistake/);
    assert.equal(await stateOf(outcome), "internal");
    await room.settled();
  });

  test("ends with its connections", async () => {
    const room = votes();
    const ada = room.connect();
    await room.settled();
    room.close();
    assert.equal(ada.status.state, "closed");
    const control = new AbortController();
    const bob = room.connect({ signal: control.signal });
    control.abort();
    assert.equal(bob.status.state, "closed");
  });
});

test("the program about tests of an app in Docs/Web.md does what it shows", async () => {
  const page = readFileSync(new URL("../../Docs/Web.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```javascript\n(.*?)^```/gms)].map(([, text]) => text);
  const program = blocks.find((text) => text.includes('"storecast/testing"'));
  const imported = program.replace(/import (\{.*?\}) from ".*";/, "const $1 = kit;");
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const shown = [];
  const console = { log: (value) => shown.push(value) };
  await new AsyncFunction("kit", "console", imported)({ Rejection, TestRoom }, console);
  assert.deepEqual(shown, [{ tea: 3, last: "ada", isMine: true }]);
});

describe("a difference of two values", () => {
  const value = (seed, depth = 0) => {
    const kind = seed.below(depth > 3 ? 2 : 4);
    if (kind < 2) return [null, true, "a", 1, 2][seed.below(5)];
    const count = seed.below(4);
    const parts = Array.from({ length: count }, () => value(seed, depth + 1));
    if (kind === 2) return parts;
    const names = ["a", "b/c", "~", "__proto__"];
    return Object.fromEntries(parts.map((part) => [names[seed.below(4)], part]));
  };

  test("makes one the other, whatever they are", () => {
    for (let number = 0; number < 5000; number += 1) {
      const seed = new Seed(number);
      const [from, to] = [value(seed), value(seed)];
      const patched = new PatchedValue(JSON.parse(JSON.stringify(from)));
      const operations = difference(from, to);
      patched.apply(operations);
      assert.equal(JSON.stringify(patched.value, sorted), JSON.stringify(to, sorted), `${number}`);
      assert.deepEqual(difference(from, from), []);
    }
  });

  test("touches only what has changed in a list", () => {
    const remove = difference([{ a: 1 }, { b: 1 }, { c: 1 }], [{ a: 1 }, { c: 1 }]);
    assert.deepEqual(remove, [{ op: "remove", path: "/1" }]);
    const change = difference([1, { b: 1 }, 3], [1, { b: 2 }, 3]);
    assert.deepEqual(change, [{ op: "replace", path: "/1/b", value: 2 }]);
  });
});

/** Members in an order of their own, for comparisons as text. */
function sorted(key, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, value[name]]);
}
