import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { settled } from "../../Clients/Web/devtools/elements.js";
import { differences } from "../../Clients/Web/devtools/model/differences.js";
import { DispatchLog } from "../../Clients/Web/devtools/model/DispatchLog.js";
import { readJournal } from "../../Clients/Web/devtools/model/journalText.js";
import { TimeTravel } from "../../Clients/Web/devtools/model/TimeTravel.js";
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
