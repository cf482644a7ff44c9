import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ask } from "../../Clients/Web/board/dialogs.js";
import { pageReducer } from "../../Clients/Web/board/reducers.js";

const card = (id, column = "todo") => ({ id, column, text: id, voters: [] });
const elsewhere = card("z", "done");
const find = (id) => (id === "z" ? elsewhere : undefined);
const reduce = pageReducer("todo", "ada", find);

/** The ids on a page of the cards a, b and c, after an action; n is what is added. */
function ids({ hasBefore, hasAfter }, type, payload) {
  const page = { rows: ["a", "b", "c"].map((id) => card(id)), hasBefore, hasAfter };
  return reduce(page, { type, payload }, { id: "n" }).rows.map(({ id }) => id).join("");
}

const only = { hasBefore: false, hasAfter: false };
const first = { hasBefore: false, hasAfter: true };
const middle = { hasBefore: true, hasAfter: true };
const last = { hasBefore: true, hasAfter: false };
const all = [only, first, middle, last];

describe("a page of cards, before the server has answered", () => {
  test("has what goes in front of one of its cards", () => {
    const add = { column: "todo", text: "n", before: "b" };
    const move = { card: "c", column: "todo", before: "a" };
    const come = { card: "z", column: "todo", before: "c" };
    for (const page of all) {
      assert.equal(ids(page, "AddCard", add), "anbc");
      assert.equal(ids(page, "MoveCard", move), "cab");
      assert.equal(ids(page, "MoveCard", come), "abzc");
    }
  });

  test("has what goes to the end of its column if nothing is below it", () => {
    const add = { column: "todo", text: "n" };
    const move = { card: "a", column: "todo" };
    assert.deepEqual(all.map((page) => ids(page, "AddCard", add)), ["abcn", "abc", "abc", "abcn"]);
    assert.deepEqual(all.map((page) => ids(page, "MoveCard", move)), ["bca", "bc", "bc", "bca"]);
  });

  test("hasn't what goes in front of a card that another page has", () => {
    const add = { column: "todo", text: "n", before: "x" };
    const move = { card: "b", column: "todo", before: "x" };
    // Where there is no other page, that card is gone, and the place is the end.
    assert.deepEqual(all.map((page) => ids(page, "AddCard", add)), ["abcn", "abc", "abc", "abc"]);
    assert.deepEqual(all.map((page) => ids(page, "MoveCard", move)), ["acb", "ac", "ac", "ac"]);
  });

  test("loses what is removed or goes to another column, and takes no other column's", () => {
    for (const page of all) {
      assert.equal(ids(page, "RemoveCard", { card: "b" }), "ac");
      assert.equal(ids(page, "MoveCard", { card: "b", column: "done" }), "ac");
      assert.equal(ids(page, "AddCard", { column: "done", text: "n" }), "abc");
      assert.equal(ids(page, "MoveCard", { card: "b", column: "todo", before: "b" }), "abc");
      assert.equal(ids(page, "MoveCard", { card: "y", column: "todo", before: "a" }), "abc");
    }
  });

  test("changes the card that is edited, assigned or voted for, and no other", () => {
    const page = { rows: [card("a"), card("b")], ...only };
    const act = (type, payload, page) => reduce(page, { type, payload }, { id: "n" });
    const edited = act("EditCard", { card: "b", text: "new" }, page);
    assert.equal(edited.rows[0], page.rows[0]);
    assert.equal(edited.rows[1].text, "new");
    assert.equal(act("AssignCard", { card: "a", assignee: "bob" }, page).rows[0].assignee, "bob");
    const voted = act("Vote", { card: "a" }, act("Vote", { card: "a" }, page));
    assert.deepEqual(voted.rows.map(({ voters }) => voters), [["ada"], []]);
    assert.deepEqual(act("Unvote", { card: "a" }, voted).rows[0].voters, []);
  });
});

/** A dialog as browsers have it: Escape and a button without a value leave its answer as it was. */
class Dialog extends EventTarget {
  returnValue = "";
  isOpen = false;

  showModal() {
    this.isOpen = true;
  }

  close(value = this.returnValue) {
    this.isOpen = false;
    this.returnValue = value;
    this.dispatchEvent(new Event("close"));
  }
}

describe("a dialog", () => {
  test("answers with the button that closed it, and with nothing if it was cancelled", async () => {
    const dialog = new Dialog();
    for (const answer of ["remove", undefined, "save", undefined, undefined]) {
      const asked = ask(dialog);
      assert(dialog.isOpen);
      dialog.close(answer);
      assert.equal(await asked, answer ?? "");
    }
  });
});
