import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { storyOf, sentenceOf } from "../../Clients/Web/board/CardHistory.js";
import { sharedTextOf } from "../../Clients/Web/board/cardText.js";
import { foundReducer, pageReducer } from "../../Clients/Web/board/reducers.js";
import { refusal } from "../../Clients/Web/board/sentences.js";
import { inverseOf, Undoing } from "../../Clients/Web/board/Undoing.js";
import { editOf } from "../../Clients/Web/storecast/index.js";

const card = (id, column, more) =>
  ({ id, column, text: id, voters: [], author: "ada", created: 0, ...more });
const columns = ["todo", "doing", "done"].map((id) => ({ id, title: id, count: 0 }));

/** What Ada is shown. */
function shown(cards, order = columns) {
  return {
    card: (id) => cards.find((card) => card.id === id),
    cardsOf: (column) => cards.filter((card) => card.column === column),
    columns: order,
    me: "ada",
    participant: "adas",
  };
}

const cards = ["a", "b", "c", "d"].map((id) => card(id, "todo"));

/** The action that takes an act back, when other cards are shown; `n` is what was added. */
const undone = (type, payload, before = shown(cards), now = before) =>
  inverseOf({ type, payload }, before)?.action(now, "n");

describe("an act is taken back", () => {
  test("by putting a card where it was, above the nearest neighbour that still is there", () => {
    const move = { card: "b", column: "done" };
    const moved = [cards[0], cards[2], cards[3], card("b", "done")];
    const back = { card: "b", column: "todo", before: "c", isUndo: true };
    assert.deepEqual(undone("MoveCard", move, shown(cards), shown(moved)), {
      type: "MoveCard", payload: back,
    });
    const without = shown(moved.filter(({ id }) => id !== "c"));
    assert.equal(undone("MoveCard", move, shown(cards), without).payload.before, "d");
    const alone = undone("MoveCard", move, shown(cards), shown([cards[0]]));
    assert.equal("before" in alone.payload, false);
  });

  test("with the same place for a card that was removed, and without its contents", () => {
    assert.deepEqual(undone("RemoveCard", { card: "c" }), {
      type: "RestoreCard", payload: { card: "c", before: "d" },
    });
    const last = undone("RemoveCard", { card: "d" });
    assert.deepEqual(last, { type: "RestoreCard", payload: { card: "d" } });
  });

  test("for everything that can be done to a board", () => {
    const taken = shown([card("a", "todo", { assignee: "bob", voters: ["ada"] }), cards[1]]);
    assert.deepEqual(undone("AddCard", { column: "todo", text: "new" }), {
      type: "RemoveCard", payload: { card: "n", isUndo: true },
    });
    assert.deepEqual(undone("AssignCard", { card: "a", assignee: "eve" }, taken).payload, {
      card: "a", assignee: "bob", isUndo: true,
    });
    assert.deepEqual(undone("AssignCard", { card: "b", assignee: "eve" }, taken).payload, {
      card: "b", isUndo: true,
    });
    assert.deepEqual(undone("Vote", { card: "b" }, taken).type, "Unvote");
    assert.deepEqual(undone("Unvote", { card: "a" }, taken).type, "Vote");
    assert.deepEqual(undone("AddColumn", { title: "Later" }).payload, { column: "n" });
    assert.deepEqual(undone("RenameColumn", { column: "done", title: "Shipped" }).payload, {
      column: "done", title: "done", isUndo: true,
    });
    assert.deepEqual(undone("MoveColumn", { column: "todo" }).payload, {
      column: "todo", before: "doing", isUndo: true,
    });
    assert.deepEqual(undone("RemoveColumn", { column: "doing" }), {
      type: "AddColumn", payload: { title: "doing", before: "done" },
    });
  });

  test("not if it changes nothing, or isn't known", () => {
    const taken = shown([card("a", "todo", { assignee: "bob", voters: ["ada"] })]);
    for (const [type, payload] of [
      ["Vote", { card: "a" }], ["AssignCard", { card: "a", assignee: "bob" }],
      ["RenameColumn", { column: "todo", title: "todo" }], ["MoveCard", { card: "elsewhere" }],
      ["Say", { text: "Hi" }],
    ]) assert.equal(undone(type, payload, taken), undefined, type);
  });

  test("out of a text in which others have written since", () => {
    const reduce = pageReducer("todo", "ada", () => undefined);
    const page = { rows: [card("a", "todo", { text: "Buy tea." })] };
    const act = (page, payload) => reduce(page, { type: "EditCardText", payload }, { id: "" });
    const edit = (editor, text) =>
      ({ card: "a", edit: editOf(sharedTextOf(page.rows[0]), editor, text) });
    const mine = edit("adas", "Buy green tea, and milk.");
    const undo = undone("EditCardText", mine, shown(page.rows)).payload;
    const both = act(act(page, edit("bobs", "Please buy tea.")), mine);
    assert.equal(both.rows[0].text, "Please buy green tea, and milk.");
    assert.equal(act(both, undo).rows[0].text, "Please buy tea.");
  });
});

describe("what was done", () => {
  const never = new Promise(() => {});
  const inverse = (name) => ({ done: name, action: (_, id) => ({ type: name, payload: id }) });
  const did = (undoing, name, outcome = never) =>
    undoing.did(inverse(name), { id: `id of ${name}`, outcome });

  test("is taken back once, the last first, or the one that is named", () => {
    const undoing = new Undoing();
    const [one] = ["one", "two", "three"].map((name) => did(undoing, name));
    assert.deepEqual(undoing.undo(undefined), {
      action: { type: "three", payload: "id of three" }, done: "three",
    });
    assert.equal(undoing.undo(undefined, one).done, "one");
    assert.equal(undoing.undo(undefined, one), undefined);
    assert.equal(undoing.undo(undefined).done, "two");
    assert.equal(undoing.undo(undefined), undefined);
  });

  test("is remembered up to a limit, unless it was refused", async () => {
    const undoing = new Undoing(3);
    for (const name of ["one", "two", "three"]) did(undoing, name);
    did(undoing, "refused", Promise.reject(new Error("No.")));
    assert.equal(undoing.count, 3);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(undoing.count, 2);
    assert.equal(undoing.undo(undefined).done, "three");
    assert.equal(undoing.undo(undefined).done, "two");
    assert.equal(undoing.undo(undefined), undefined);
  });

  test("and can't be taken back any more is told in words", () => {
    const rejection = { code: "conflict", title: "Somebody else has moved it since." };
    const sentence = "It can't be undone any more: Somebody else has moved it since.";
    const undo = { type: "MoveCard", payload: { card: "a", isUndo: true } };
    assert.equal(refusal(rejection, undo), sentence);
    assert.equal(refusal(rejection, { type: "RestoreCard", payload: { card: "a" } }), sentence);
    assert.match(refusal(rejection, { type: "MoveCard", payload: {} }), /^The card was not moved/);
  });
});

describe("a card that is restored, before the server has answered", () => {
  const gone = card("z", "todo");
  const reduce = pageReducer("todo", "ada", (id) => (id === "z" ? gone : undefined));
  const ids = (page, payload, reducer = reduce) =>
    reducer(page, { type: "RestoreCard", payload }, { id: "" }).rows.map(({ id }) => id).join("");
  const page = { rows: cards.slice(0, 3), hasBefore: false, hasAfter: false };

  test("is in its place, if that is on the page", () => {
    assert.equal(ids(page, { card: "z", before: "b" }), "azbc");
    assert.equal(ids(page, { card: "z" }), "abcz");
    assert.equal(ids({ ...page, hasAfter: true }, { card: "z" }), "abc");
    assert.equal(ids({ ...page, hasAfter: true }, { card: "z", before: "a" }), "zabc");
  });

  test("is shown once, in its column only, and if it is known", () => {
    assert.equal(ids({ ...page, rows: [gone] }, { card: "z" }), "z");
    assert.equal(ids(page, { card: "unknown" }), "abc");
    const done = pageReducer("done", "ada", () => gone);
    assert.equal(ids(page, { card: "z" }, done), "abc");
  });
});

describe("cards that were found", () => {
  const reduce = foundReducer("ada");
  const page = { rows: [card("a", "todo"), card("b", "done")], count: 2, hasAfter: false };
  const act = (type, payload) => reduce(page, { type, payload }, { id: "n" });

  test("stay when they move to another column, and go when they are removed", () => {
    const moved = act("MoveCard", { card: "b", column: "todo", before: "a" });
    const places = moved.rows.map(({ id, column }) => `${id} in ${column}`);
    assert.deepEqual(places, ["a in todo", "b in todo"]);
    assert.deepEqual(act("RemoveCard", { card: "a" }).rows, [page.rows[1]]);
    assert.deepEqual(act("Vote", { card: "a" }).rows[0].voters, ["ada"]);
  });

  test("aren't joined by one that is added: whether that is found is the server's to say", () => {
    assert.deepEqual(act("AddCard", { column: "todo", text: "new" }).rows, page.rows);
  });
});

describe("a card's history", () => {
  test("begins with who added it, and is told in sentences, the newest first", () => {
    const events = [
      { what: "moved", by: "bob", time: 2, to: "Doing" },
      { what: "assigned", by: "", time: 3, to: "eve" },
    ];
    const story = storyOf(card("a", "todo", { created: 1 }), events);
    assert.deepEqual(story.map(({ time }) => time), [3, 2, 1]);
    assert.deepEqual(story.map(({ what, by, to }) => sentenceOf(by || "anonymous", what, to)), [
      "anonymous gave it to eve", "bob moved it to Doing", "ada added it",
    ]);
    assert.equal(sentenceOf("You", "assigned", undefined), "You took it off whoever did it");
    assert.equal(sentenceOf("You", "painted", undefined), "You changed it");
  });
});
