import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { settled } from "../../Clients/Web/devtools/elements.js";
import { differences } from "../../Clients/Web/devtools/model/differences.js";
import { DispatchLog } from "../../Clients/Web/devtools/model/DispatchLog.js";
import { answerOf } from "../../Clients/Web/devtools/model/Follower.js";
import { bringLog } from "../../Clients/Web/devtools/model/Importing.js";
import { ineffectiveOf, readJournal } from "../../Clients/Web/devtools/model/journalText.js";
import { Search } from "../../Clients/Web/devtools/model/Search.js";
import { testCode } from "../../Clients/Web/devtools/model/testCode.js";
import { TimeTravel } from "../../Clients/Web/devtools/model/TimeTravel.js";
import { destinationText } from "../../Clients/Web/devtools/views/DispatchForm.js";
import { examplePlace } from "../../Clients/Web/devtools/views/FindPane.js";
import { stateTitle } from "../../Clients/Web/devtools/views/StatePane.js";
import { stampId } from "../../Clients/Web/storecast/session/stampId.js";
import { TestPeer } from "./support/TestPeer.js";

const page = fileURLToPath(new URL("../../Clients/Web/devtools/", import.meta.url));

/** What differs, each as a line. */
function told(before, after) {
  return differences(before, after).map(({ kind, path }) => `${kind} ${path}`);
}

describe("what differs between two states", () => {
  test("is told by its place", () => {
    assert.deepEqual(told({ a: 1, b: [2], c: 3 }, { a: 1, b: [2, 4], d: 3 }), [
      "removed /c",
      "added /b/1",
      "added /d",
    ]);
    assert.deepEqual(told({ a: { b: 1 } }, { a: { b: 2 } }), ["changed /a/b"]);
    assert.deepEqual(told(1, [1]), ["changed "]);
    assert.deepEqual(told({ a: [1, 2] }, { a: [1, 2] }), []);
  });

  test("follows elements by their ids, and says which moved", () => {
    const [one, two, three] = ["one", "two", "three"].map((id) => ({ id, votes: 0 }));
    assert.deepEqual(told([one, two, three], [three, one, { ...two, votes: 1 }]), [
      "moved /0",
      "changed /2/votes",
    ]);
    assert.deepEqual(told([one, two], [two]), ["removed /0"]);
  });

  test("has names that a pointer escapes, and isn't misled by them", () => {
    assert.deepEqual(told({}, { "a/b~": 1 }), ["added /a~1b~0"]);
    assert.deepEqual(told({}, JSON.parse('{"__proto__":1}')), ["added /__proto__"]);
  });

  test("ends at a thousand places", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [index, index]));
    assert.equal(differences({}, many).length, 1000);
  });
});

/** The states of rooms that are looked at, and the server that is asked for them. */
async function travelling() {
  const peer = new TestPeer();
  await peer.welcome();
  const travel = new TimeTravel(peer.connection, () => {});
  /** The server answers the last question; what that was. */
  const answer = async (value) => {
    const said = await peer.heard();
    const { ref, select, params } = said.findLast(({ op }) => op === "subscribe") ?? {};
    assert(ref, "The server is asked for nothing.");
    const subscribed = { op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 };
    await peer.say(subscribed, { op: "snapshot", sub: ref, v: 0, value });
    return { select, ...params };
  };
  return { peer, travel, answer };
}

describe("a room's states", () => {
  test("are shown of now, with what the last dispatch changed", async () => {
    const { peer, travel, answer } = await travelling();
    travel.enter("/a");
    assert.deepEqual([travel.now, travel.newest], [undefined, 0]);
    const asked = await answer({ version: 5, state: { n: 1 } });
    assert.deepEqual(asked, { select: "state", room: "/a" });
    assert.deepEqual(travel.now.changes, []);
    const ops = [{ op: "replace", path: "", value: { version: 6, state: { n: 2 } } }];
    await peer.say({ op: "patch", sub: 1, from: 0, v: 1, ops });
    const { changes, ...now } = travel.now;
    assert.deepEqual(now, { version: 6, state: { n: 2 }, since: 5, affected: 0 });
    assert.deepEqual(changes.map(({ kind, path }) => `${kind} ${path}`), ["changed /n"]);
  });

  test("aren't another's, whose version and skipped dispatches are forgotten", async () => {
    const { travel, answer } = await travelling();
    travel.enter("/a");
    await answer({ version: 5, state: { n: 1 } });
    travel.skip(3);
    await answer({ version: 5, state: { n: 0 }, affected: 1 });
    assert.equal(travel.then.affected, 1);
    travel.enter("/b");
    assert.deepEqual([travel.now, travel.newest, travel.then], [undefined, 0, undefined]);
    assert.deepEqual([travel.version, travel.skipped], [undefined, []]);
    const asked = await answer({ version: 5, state: { m: 1 } });
    assert.deepEqual(asked, { select: "state", room: "/b" });
    const shown = { version: 5, state: { m: 1 }, changes: [], since: 5, affected: 0 };
    assert.deepEqual(travel.now, shown);
  });

  test("stay when the room is chosen that is looked at", async () => {
    const { peer, travel, answer } = await travelling();
    travel.enter("/a");
    await answer({ version: 5, state: { n: 1 } });
    travel.skip(3);
    await answer({ version: 5, state: { n: 0 }, affected: 1 });
    travel.enter("/a");
    assert.deepEqual([travel.version, travel.skipped, travel.newest], [5, [3], 5]);
    assert.deepEqual([travel.now.state, travel.then.affected], [{ n: 1 }, 1]);
    assert.deepEqual(await peer.heard(), []);
  });

  test("are shown of a version as often as it is looked at", async () => {
    const { travel, answer } = await travelling();
    travel.enter("/a");
    await answer({ version: 9, state: "new" });
    for (const state of ["one", "two"]) {
      travel.look(5);
      assert.equal(travel.then, undefined);
      const asked = await answer({ version: 5, state });
      assert.deepEqual(asked, { select: "stateAt", room: "/a", version: 5 });
      assert.equal(travel.then.state, state);
      travel.look(undefined);
      assert.equal(travel.then, undefined);
    }
  });
});

describe("the states of an imported log", () => {
  test("are asked of the log, with its last version as that of now", async () => {
    const { travel, answer } = await travelling();
    travel.enter("/a");
    await answer({ version: 5, state: { n: 1 } });
    travel.enterImported("log", 9);
    assert.deepEqual([travel.newest, travel.now], [9, undefined]);
    const last = { version: 9, state: { n: 9 }, undo: [] };
    assert.deepEqual(await answer(last), { select: "importedAt", id: "log", version: 9 });
    assert.equal(travel.now.state.n, 9);
    travel.look(3);
    const asked = await answer({
      version: 3, state: { n: 3 }, undo: [{ op: "replace", path: "/n", value: 2 }],
    });
    assert.deepEqual(asked, { select: "importedAt", id: "log", version: 3 });
    assert.deepEqual(travel.then.changes.map(({ path }) => path), ["/n"]);
    travel.skip(2);
    const without = await answer({ version: 3, state: { n: 1 }, affected: 0 });
    assert.deepEqual(without, { select: "importedAt", id: "log", version: 3, skip: [2] });
  });

  test("are left for the room, as it is now", async () => {
    const { travel, answer } = await travelling();
    travel.enter("/a");
    await answer({ version: 5, state: { n: 1 } });
    travel.enterImported("log", 9);
    await answer({ problem: "The server no longer has this log." });
    assert.equal(travel.problem, "The server no longer has this log.");
    travel.look(3);
    travel.leaveImported();
    assert.deepEqual([travel.version, travel.newest, travel.problem], [undefined, 5, undefined]);
    assert.deepEqual(travel.now.state, { n: 1 });
  });
});

describe("which state is shown", () => {
  const of = (version, changed, more = {}) => ({
    version, since: version - 1, changes: Array(changed).fill({}), affected: 0, ...more,
  });
  const then = { skipped: [], isNow: false };

  test("is said with what its dispatch changed", () => {
    assert.equal(stateTitle(of(3, 2), then), "v3: this dispatch changed 2 places.");
    assert.equal(stateTitle(of(3, 0), then), "v3: this dispatch changed nothing.");
    assert.equal(stateTitle(of(0, 0, { since: 0 }), then),
      "v0: the beginning, before any dispatch.");
    const now = { skipped: [], isNow: true };
    assert.equal(stateTitle(of(9, 0, { since: 9 }), now),
      "Now, v9. What changes from here on is marked.");
    assert.equal(stateTitle(of(9, 4, { since: 6 }), now), "Now, v9: 4 places changed since v6.");
  });

  test("is said in words if some dispatches are left out", () => {
    assert.equal(
      stateTitle(of(21, 1), { skipped: [21], isNow: false }),
      "v21, had v21 never happened. 1 place differs from what is real. " +
        "Every other dispatch ends as it did.",
    );
    assert.equal(
      stateTitle(of(21, 2, { affected: 1 }), { skipped: [4, 7, 9, 30], isNow: false }),
      "v21, had v4, v7 and v9 never happened. 2 places differ from what is real. " +
        "1 other dispatch ends otherwise: accepted, or rejected.",
    );
    assert.equal(
      stateTitle(of(21, 0, { affected: 2 }), { skipped: [4], isNow: false }),
      "v21, had v4 never happened. Nothing differs from what is real. " +
        "2 other dispatches end otherwise: accepted, or rejected.",
    );
    // Those that come later change nothing of it.
    assert.equal(stateTitle(of(3, 1), { skipped: [4], isNow: false }),
      "v3: this dispatch changed 1 place.");
  });
});

describe("a search of the past", () => {
  async function searching() {
    const peer = new TestPeer();
    await peer.welcome();
    const search = new Search(peer.connection, () => {});
    const answer = async (value) => {
      const { ref, select, params } = (await peer.heard()).findLast(({ op }) => op === "subscribe");
      const subscribed = { op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 };
      await peer.say(subscribed, { op: "snapshot", sub: ref, v: 0, value });
      return { select, ...params };
    };
    return { search, answer };
  }

  test("asks one question at a time", async () => {
    const { search, answer } = await searching();
    assert.deepEqual([search.asked, search.answer], [undefined, undefined]);
    search.change({ room: "/a" }, "/n", 9);
    assert.deepEqual(await answer({ version: 4 }),
      { select: "change", room: "/a", path: "/n", through: 9 });
    assert.deepEqual(search.answer, { version: 4 });
    search.first({ room: "/a" }, "/n", { test: ">", value: 5 }, 0, 9);
    assert.equal(search.answer, undefined);
    assert.deepEqual(await answer({ version: 7 }),
      { select: "first", room: "/a", path: "/n", test: ">", value: 5, from: 0, through: 9 });
    assert.equal(search.answer.version, 7);
  });

  test("goes on where a bound has ended it: back for a change, forth for a condition", async () => {
    const { search, answer } = await searching();
    const bounded = { version: null, from: 40, through: 90, isBounded: true };
    search.change({ room: "/a" }, "/n", 90);
    await answer(bounded);
    search.goOn();
    assert.equal((await answer({ version: null, from: 0, through: 40 })).through, 40);
    // It has come to the beginning.
    search.goOn();
    assert.equal(search.answer.from, 0);
    search.first({ room: "/a" }, "/n", { test: "exists" }, 40, 200);
    await answer(bounded);
    search.goOn();
    const asked = await answer({ version: 91 });
    assert.deepEqual([asked.from, asked.through], [90, 200]);
  });

  test("is of an imported log as of a room", async () => {
    const { search, answer } = await searching();
    search.change({ id: "log" }, "/n", 90);
    const asked = await answer({ version: null, from: 40, through: 90, isBounded: true });
    assert.deepEqual(asked, { select: "importedChange", id: "log", path: "/n", through: 90 });
    assert.equal(search.asked.name, "change");
    search.goOn();
    assert.deepEqual(await answer({ version: 7 }),
      { select: "importedChange", id: "log", path: "/n", through: 40 });
    assert.equal(search.answer.version, 7);
    search.first({ id: "log" }, "/n", { test: "exists" }, 0, 9);
    assert.deepEqual(await answer({ version: 2 }),
      { select: "importedFirst", id: "log", path: "/n", test: "exists", from: 0, through: 9 });
    search.leave();
    assert.deepEqual([search.asked, search.answer], [undefined, undefined]);
  });
});

describe("where a dispatch goes", () => {
  test("is said: into the room, also while an imported log is shown", () => {
    const told = (room, imported) => destinationText({ room, imported });
    assert.equal(told("/a", false), "What is dispatched goes into the room /a.");
    assert.match(told("/a", true), /into the room \/a, not into the log that was imported\.$/);
    assert.equal(told(undefined, true), "Choose a room first.");
  });
});

describe("the example of a place to search", () => {
  test("is the first in the state that holds no others, as a pointer to it", () => {
    assert.equal(examplePlace({ columns: [{ cards: [] }, { cards: [{ text: "Hi" }] }], n: 1 }),
      "/columns/1/cards/0/text");
    assert.equal(examplePlace({ "a/b": { "~": null } }), "/a~1b/~0");
    assert.equal(examplePlace([{}, false]), "/1");
    assert.equal(examplePlace({ "": 0 }), "/");
  });

  test("isn't there where the state has no such place, is unknown, or has only long names", () => {
    for (const state of [undefined, null, 7, "text", {}, { a: [], b: { c: {} } }]) {
      assert.equal(examplePlace(state), undefined);
    }
    assert.equal(examplePlace({ ["x".repeat(79)]: 1 }), `/${"x".repeat(79)}`);
    assert.equal(examplePlace({ ["x".repeat(80)]: 1 }), undefined);
  });
});

describe("a question that is asked once", () => {
  async function asking() {
    const peer = new TestPeer();
    await peer.welcome();
    const answer = answerOf(peer.connection, "importedOutcomes", { id: "log" });
    const { ref } = (await peer.heard()).findLast(({ op }) => op === "subscribe");
    const subscribed = { op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 };
    // It isn't known at first.
    await peer.say(subscribed, { op: "snapshot", sub: ref, v: 0, value: null });
    const say = (value) =>
      peer.say({ op: "patch", sub: ref, from: 0, v: 1, ops: [{ op: "replace", path: "", value }] });
    return { answer, say };
  }

  test("has the first answer that is known, and isn't followed any more", async () => {
    const { answer, say } = await asking();
    const said = await say({ version: 2, offset: 3, ineffective: [] });
    assert.deepEqual(await answer, { version: 2, offset: 3, ineffective: [] });
    assert(said.some(({ op }) => op === "unsubscribe"));
  });

  test("fails with the server's reason", async () => {
    const { answer, say } = await asking();
    const failed = assert.rejects(answer, { message: "The server no longer has this log." });
    await say({ problem: "The server no longer has this log." });
    await failed;
  });
});

describe("a log that is brought to the server", () => {
  async function pieces(text) {
    const sent = [];
    await bringLog(async (piece) => void sent.push(piece), { id: "x", room: "/", text }, () => {});
    return sent;
  }

  test("comes in pieces that the server takes, and none ends within a character", async () => {
    for (const text of ["", "short", "💡".repeat(80_000), `x${"💡".repeat(80_000)}`]) {
      const sent = await pieces(text);
      assert.equal(sent.map((piece) => piece.text).join(""), text);
      assert.deepEqual(sent.map(({ isLast }) => isLast).lastIndexOf(true), sent.length - 1);
      assert.equal(sent.filter(({ isLast }) => isLast).length, 1);
      for (const { text } of sent) {
        assert(new TextEncoder().encode(text).length <= 256 << 10);
        assert(text.isWellFormed());
      }
    }
  });

  test("isn't begun if it is larger than the server takes", async () => {
    await assert.rejects(pieces("é".repeat((8 << 20) + 1)), /16 MiB/);
  });

  test("ends with the piece that the server refuses", async () => {
    let count = 0;
    const refuse = async () => {
      count += 1;
      throw new Error("Line 1");
    };
    const log = { id: "x", room: undefined, text: "x".repeat(200_000) };
    await assert.rejects(bringLog(refuse, log, () => {}), /Line 1/);
    assert.equal(count, 1);
  });
});

describe("a test that is made of a log", () => {
  const header = '{"journal":"storecast","format":1,"room":"/tally","epoch":"c0ffee"}';
  const ada = { id: "ada" };
  const bob = { id: 'bob "the" \\', roles: ["admin"] };
  const add = (sender, payload, more = {}) =>
    JSON.stringify({ client: sender.id, sender, actions: [{ type: "Add", payload }], ...more });
  const conflict = { code: "conflict", title: "It goes from 0 to 10." };
  const unknown = { code: "unknown-action", title: "no such action" };
  const beer = { type: "Beer", bytes: 9, digest: "19f6b03edaaf5bfd" };
  const log = [
    header,
    add(ada, { number: 6 }),
    add(bob, { number: 1, padding: '"# \\#' }),
    add(ada, { number: 6 }, { rejection: conflict }),
    add(ada, {}, { actions: [], rejection: unknown, refused: beer }),
    add(ada, { number: 2 }),
    add(ada, { number: 1 }),
    "",
  ].join("\n");
  const options = { through: 3, definition: "Tallies.upTo10", types: ["Add"] };

  test("is the one that is run with the server's tests", () => {
    const run = new URL("../StorecastDevtoolsTests/CopiedTests.swift", import.meta.url);
    assert.equal(testCode(log, options), readFileSync(run, "utf8"));
  });

  const note = (client, seq, type, payload, more = {}) =>
    add({ id: client }, {}, { seq, actions: [{ type, payload }, ...(more.made ?? [])], ...more });
  const tea = stampId("ada", 1);
  const gone = stampId("ada", 2);
  const bobs = stampId("bob", 0);
  const missing = { code: "conflict", title: "There is no such note." };
  const notes = [
    header.replace("tally", "notes"),
    note("ada", 1, "AddNote", { text: "Tea" }),
    note("bob", 7, "EditNote", { note: tea, text: '"#' }),
    note("ada", 2, "EditNote", { note: gone }, { rejection: missing }),
    note("bob", 8, "AddNote", { text: bobs }),
    note("ada", 3, "EditNote", { note: stampId("bob", 8), text: tea }),
  ].join("\n");
  const ofNotes = { through: 4, definition: "Notes.room", types: ["AddNote", "EditNote"] };

  test("names what the log's dispatches made by what it is in the test, which is run too", () => {
    const run = new URL("../StorecastDevtoolsTests/CopiedIDsTests.swift", import.meta.url);
    const code = testCode(notes, ofNotes).replace("CopiedTests", "CopiedIDsTests");
    assert.equal(code, readFileSync(run, "utf8"));
    assert.doesNotMatch(code, new RegExp(`${tea}|${bobs}`));
  });

  test("says of each id which it can't name, as what made it isn't in the test", () => {
    const code = testCode(notes, { ...ofNotes, skipped: [1] });
    const at = (line) => code.split("\n").find((other) => other.includes(line));
    assert.match(at(`${tea} is no id`), /^ *\/\/ .* of this test; it may be one of the log's\.$/);
    assert.match(at('"EditNote"'), new RegExp(`"note":"${tea}"`));
    assert.match(at('"AddNote"'), /"text":"\\#\(bob1\.participant\)"/);
    assert.match(code, new RegExp(`Rejected then: .*\n *// ${gone} is no id of this test`));
    assert.match(code, /v4\n[^]*"note":"\\#\(idOfV3\)"/);
    const own = note("ada", 1, "AddNote", { text: "" }, { sender: { id: "server" } });
    const byServer = [header, own, note("bob", 1, "EditNote", { note: tea })].join("\n");
    assert.match(testCode(byServer, { ...ofNotes, through: 2 }), new RegExp(`${tea} is no id`));
  });

  test("has no word of ids where no payload names one, whatever ids clients have", () => {
    const odd = (client, seq) => add(ada, { text: tea.slice(1) }, { client, seq });
    const lines = [header, odd("\u2028é", 1), odd(["ada"], 2), odd("ada", "3"), odd("ada", 4)];
    const code = testCode(lines.join("\n"), { ...options, through: 4 });
    assert.doesNotMatch(code, /\bid\b|idOf|middleware/);
  });

  test("leaves out what is skipped, and doesn't say then what is rejected", () => {
    const code = testCode(log, { ...options, skipped: [1] });
    assert.doesNotMatch(code, /v1\n|#expect|position/);
    assert.match(code, /v2\n[^]*Rejected then: [^]*_ = try\? await ada1[^]*v3\n/);
  });

  test("has what was rejected though the log has no word of it, once", () => {
    const [head, first, second, , ...rest] = log.split("\n");
    const at = (offset, line) => JSON.stringify({ offset, ...JSON.parse(line) });
    const silent = [
      head, at(1, first), at(2, second), at(3, add(ada, { number: 6 })),
      at(4, add(ada, { number: 6 })), ...rest,
    ];
    const ineffective = new Map([[3, { rejection: conflict.title }], [4, {}]]);
    assert.equal(testCode(silent.join("\n"), { ...options, ineffective }), testCode(log, options));
  });

  test("has a connection for each client, and names that Swift has", () => {
    const line = (client, id) => add({ id }, { number: 1 }, { client });
    const lines = [header, line("a", "ada"), line("b", "ada"), line("c", "2"), line("d", "")];
    const code = testCode(lines.join("\n"), { ...options, through: 4 });
    const names = [...code.matchAll(/let (\w+) = room.connect\(as: (.*)\)/g)];
    assert.deepEqual(names.map(([, name, identity]) => [name, identity]), [
      ["ada1", 'Identity("ada")'], ["ada2", 'Identity("ada")'], ["client1", 'Identity("2")'],
      ["client2", ".anonymous"],
    ]);
  });

  test("says what it leaves out, as only the server's own code dispatches it", () => {
    const server = { id: "server" };
    const joined = { actions: [{ type: "ClientJoined", payload: {} }] };
    const code = testCode([header, add(server, {}, joined), add(ada, {})].join("\n"),
      { ...options, through: 2 });
    assert.match(code, /v1, by the server's own code: ClientJoined\n/);
    assert.doesNotMatch(code, /Identity\("server"\)/);
    assert.match(code, /Say here what should be so/);
  });

  test("has nothing in it that a payload, a name or a reason could mean as code", () => {
    const hostile = { id: 'x"); exit(1) //\n', roles: ["\u202e\\(exit(1))"] };
    const text = [
      header,
      add(hostile, { text: '"### + exit(1)\u2028\u0000\\###(1)' }),
      add(hostile, {}, { rejection: { title: "No.\n        exit(1)" } }),
      add(hostile, {}, { actions: [], rejection: unknown, refused: { type: "A\nexit(1)" } }),
      add(hostile, {}),
    ].join("\n");
    const code = testCode(text, { ...options, through: 2 });
    assert.match(code, /JSON\(parsing: ####".*"####\)/);
    for (const line of code.split("\n").filter((line) => line.includes("exit(1)"))) {
      assert.match(line, /^ *\/\/|^ *type: |Identity\("x\\"\); exit\(1\) \/\/\\u\{a\}"/);
    }
    assert.doesNotMatch(code, /[\u0000\u202e\u2028]/);
  });

  test("isn't made of what a snapshot has replaced, of too much, or of what isn't there", () => {
    const cut = [header, '{"offset":1,"version":7,"snapshot":{}}', add(ada, {})].join("\n");
    assert.throws(() => testCode(cut, { ...options, through: 8 }), /begins with a snapshot/);
    assert.throws(() => testCode(log, { ...options, through: 9 }), /ends at version 4/);
    const many = [header, ...Array(2001).fill(add(ada, {}))].join("\n");
    assert.throws(() => testCode(many, { ...options, through: 2001 }), /at most 2000/);
  });
});

describe("what waits until calls have ceased", () => {
  test("is done once, with the last values", (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const done = [];
    const look = settled(120, (version) => done.push(version));
    for (const version of [1, 2, 3]) {
      look.call(version);
      context.mock.timers.tick(119);
    }
    assert.deepEqual(done, []);
    context.mock.timers.tick(1);
    assert.deepEqual(done, [3]);
  });

  test("isn't done if it is cancelled before", (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const done = [];
    const look = settled(120, (version) => done.push(version));
    look.cancel();
    look.call(1);
    look.cancel();
    context.mock.timers.tick(200);
    assert.deepEqual(done, []);
    look.call(2);
    context.mock.timers.tick(120);
    assert.deepEqual(done, [2]);
  });
});

describe("the dispatches that the page knows", () => {
  const dispatch = (seq, more) => ({ participant: "p", seq, version: seq, time: seq, ...more });

  test("are each there once, in the order of the log", () => {
    const log = new DispatchLog();
    assert(log.add([dispatch(3), dispatch(4)]));
    assert(log.add([dispatch(1), dispatch(2), dispatch(3)]));
    assert(!log.add([dispatch(2)]));
    assert.deepEqual(log.entries.map(({ seq }) => seq), [1, 2, 3, 4]);
    assert.equal(log.at(2)?.seq, 2);
  });

  test("are the newest five hundred, unless older ones were asked for", () => {
    const log = new DispatchLog();
    const many = Array.from({ length: 2500 }, (_, index) => dispatch(index + 1));
    log.add(many);
    assert.equal(log.entries.length, 500);
    assert.equal(log.entries[0].seq, 2001);
    log.keepsOld = true;
    log.add(many);
    assert.equal(log.entries.length, 2500);
  });
});

describe("a journal's text", () => {
  const header = '{"journal":"storecast","format":1,"room":"/a","epoch":"c0ffee"}';
  const entry = (seq, more = {}) =>
    JSON.stringify({ offset: seq, time: 1, sender: { id: "ada" }, client: "c", seq,
      actions: [{ type: "Add", payload: { by: seq } }], ...more });

  test("is read with versions", () => {
    const rejected = entry(2, { actions: [], rejection: { code: "forbidden", title: "No." } });
    const text = [header, entry(1), rejected, entry(3), ""].join("\n");
    const { room, dispatches } = readJournal(text);
    assert.equal(room, "/a");
    assert.deepEqual(dispatches.map(({ version }) => version), [1, 1, 2]);
    assert.deepEqual(dispatches[2].actions, [{ type: "Add", payload: { by: 3 }, bytes: 8 }]);
    assert.equal(dispatches[1].rejection, "No.");
  });

  test("is read with what the server says of it: what was rejected, and what came twice", () => {
    const ineffective = ineffectiveOf({
      ineffective: [{ offset: 2, rejection: "Only up." }, { offset: 3 }],
    });
    const text = [header, entry(1), entry(2), entry(3), entry(4), ""].join("\n");
    const { dispatches } = readJournal(text, ineffective);
    assert.deepEqual(dispatches.map(({ seq, version }) => [seq, version]),
      [[1, 1], [2, 1], [4, 2]]);
    assert.deepEqual(dispatches.map(({ rejection }) => rejection),
      [undefined, "Only up.", undefined]);
  });

  test("has a digest of what was refused; earlier ones have it whole, or its beginning", () => {
    const rejection = { code: "unknown-action", title: "No." };
    const whole = { type: "Beer", payload: '{"by": 1}', bytes: 9 };
    const cut = { type: "Wine", payload: '{"by', bytes: 5000 };
    const known = { type: "Tea", bytes: 9, digest: "19f6b03edaaf5bfd" };
    const lines = [whole, cut, known].map((refused, index) =>
      entry(index + 1, { actions: [], rejection, refused }),
    );
    const { dispatches } = readJournal([header, ...lines].join("\n"));
    assert.deepEqual(dispatches[0].actions, [{ type: "Beer", payload: { by: 1 }, bytes: 9 }]);
    assert.deepEqual(dispatches[1].actions, [{ type: "Wine", excerpt: '{"by', bytes: 5000 }]);
    const excerpt = "digest 19f6b03edaaf5bfd";
    assert.deepEqual(dispatches[2].actions, [{ type: "Tea", excerpt, bytes: 9 }]);
  });

  test("goes on from a snapshot's version", () => {
    const text = [header, '{"offset":1,"version":7,"snapshot":{}}', entry(2)].join("\n");
    assert.equal(readJournal(text).dispatches[0].version, 8);
  });

  test("is refused with the line that is wrong", () => {
    assert.throws(() => readJournal(""), /empty/);
    assert.throws(() => readJournal(entry(1)), /Line 1/);
    assert.throws(() => readJournal(`${header}\nnull`), /Line 2/);
    assert.throws(() => readJournal(`${header}\n${entry(1, { actions: 5 })}`), /Line 2/);
  });
});

describe("the page's files", () => {
  const files = (folder) =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });

  test("are right by their types", { skip: !hasTsc() && "needs tsc" }, () => {
    execFileSync("tsc", ["-p", page], { encoding: "utf8" });
  });

  test("have lines of at most 100 columns, and never make HTML of text", () => {
    for (const file of files(page).filter((file) => file.endsWith(".js"))) {
      const text = readFileSync(file, "utf8");
      for (const line of text.split("\n")) assert(line.length <= 100, `${file}: ${line}`);
      assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
    }
  });
});

function hasTsc() {
  try {
    return Boolean(execFileSync("tsc", ["--version"]));
  } catch {
    return false;
  }
}
