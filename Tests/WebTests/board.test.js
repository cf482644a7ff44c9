import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { remember, sharedTextOf } from "../../Clients/Web/board/cardText.js";
import { ask } from "../../Clients/Web/board/dialogs.js";
import { Drafts } from "../../Clients/Web/board/Drafts.js";
import { pageReducer } from "../../Clients/Web/board/reducers.js";
import { boardAt, newBoardPath } from "../../Clients/Web/board/room.js";
import { awaited, typed } from "../../Clients/Web/board/sentences.js";
import { TextDraft } from "../../Clients/Web/board/TextDraft.js";
import { editOf } from "../../Clients/Web/storecast/index.js";
import { FakeStorage } from "./support/FakeStorage.js";

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

/** A field as browsers have it: the cursor goes to the end of a text that is put there. */
class Field {
  #value = "";

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = value;
    this.setSelectionRange(value.length, value.length);
  }

  setSelectionRange(start, end) {
    [this.selectionStart, this.selectionEnd] = [start, end];
  }
}

describe("a card's text that two edit at once", () => {
  const page = { rows: [{ ...card("a"), text: "Buy tea." }, card("b")], ...only };
  const act = (page, type, payload) => reduce(page, { type, payload }, { id: "n" });

  /** What an editor makes of the text of the first card of a page. */
  const edit = ({ rows: [first] }, editor, text) => ({
    card: first.id,
    edit: editOf(sharedTextOf(first), editor, text),
  });

  test("has what both have written", () => {
    const ada = edit(page, "ada", "Buy tea, and milk.");
    const bob = edit(page, "bob", "Please buy tea.");
    const both = act(act(page, "EditCardText", ada), "EditCardText", bob);
    assert.equal(both.rows[0].text, "Please buy tea, and milk.");
    assert.equal(both.rows[1], page.rows[1]);
  });

  test("keeps what somebody writes while an older client replaces the text", () => {
    const bob = edit(page, "bob", "Please buy tea.");
    const replaced = act(page, "EditCard", { card: "a", text: "Buy tea today." });
    assert.equal(replaced.rows[0].text, "Buy tea today.");
    const both = act(replaced, "EditCardText", bob);
    assert.equal(both.rows[0].text, "Please buy tea today.");
  });

  test("isn't changed by what the server will refuse", () => {
    const version = { editor: "ada", base: 7, own: 0 };
    const unknown = { version, changes: [{ at: 0, delete: 0, insert: "x" }] };
    for (const refused of [
      edit(page, "ada", "x".repeat(501)), edit(page, "ada", " "), { card: "a", edit: unknown },
    ]) {
      assert.equal(act(page, "EditCardText", refused).rows[0].text, "Buy tea.");
    }
    const longest = edit(page, "ada", "x".repeat(500));
    assert.equal(act(page, "EditCardText", longest).rows[0].text.length, 500);
  });

  test("is shown in an open field as it comes, with what is typed and the selection", () => {
    const field = new Field();
    const draft = new TextDraft(field, "ada", sharedTextOf(page.rows[0]));
    assert.equal(draft.edit, undefined);
    field.value = "Buy tea, and milk.";
    field.setSelectionRange(9, 12);
    const news = act(page, "EditCardText", edit(page, "bob", "Please buy tea."));
    draft.follow(sharedTextOf(news.rows[0]));
    assert.equal(field.value, "Please buy tea, and milk.");
    assert.deepEqual([field.selectionStart, field.selectionEnd], [16, 19]);
    const saved = act(news, "EditCardText", { card: "a", edit: draft.edit });
    assert.equal(saved.rows[0].text, "Please buy tea, and milk.");
  });

  test("merges what is saved with what had not come to the field", () => {
    const field = new Field();
    const draft = new TextDraft(field, "ada", sharedTextOf(page.rows[0]));
    field.value = " Buy tea, and milk. ";
    const news = act(page, "EditCardText", edit(page, "bob", "Please buy tea."));
    const saved = act(news, "EditCardText", { card: "a", edit: draft.edit });
    assert.equal(saved.rows[0].text, "Please buy tea, and milk.");
  });

  test("stands before what was typed in one that is gone", () => {
    const field = new Field();
    const mine = act(page, "EditCardText", edit(page, "ada", "Buy coffee."));
    const draft = new TextDraft(field, "ada", sharedTextOf(mine.rows[0]));
    field.value = "Buy coffee, and milk.";
    // The first edit was refused.
    draft.follow(sharedTextOf(page.rows[0]));
    assert.equal(field.value, "Buy tea.\nBuy coffee, and milk.");
    const saved = act(page, "EditCardText", { card: "a", edit: draft.edit });
    assert.equal(saved.rows[0].text, "Buy tea.\nBuy coffee, and milk.");
  });

  test("isn't emptied or saved for nothing", () => {
    const field = new Field();
    const draft = new TextDraft(field, "ada", sharedTextOf(page.rows[0]));
    field.value = "  ";
    assert.equal(draft.edit, undefined);
    field.value = "Buy tea. ";
    assert.equal(draft.edit, undefined);
  });

  describe("and that was typed before the page was loaded again", () => {
    /** A field with a text now, into which what was typed in an older one is put. */
    function restored(now, text, base) {
      const field = new Field();
      const draft = new TextDraft(field, "ada", sharedTextOf(now.rows[0]));
      draft.restore({ text, base });
      return { field, draft };
    }

    const old = sharedTextOf(page.rows[0]);
    const news = act(page, "EditCardText", edit(page, "bob", "Please buy tea."));

    test("is what was typed, if nobody has changed it", () => {
      const { field, draft } = restored(page, "Buy tea, and milk.", old);
      assert.equal(field.value, "Buy tea, and milk.");
      assert.deepEqual(draft.unsaved, { text: "Buy tea, and milk.", base: old });
    });

    test("has what others have written since", () => {
      const { field, draft } = restored(news, "Buy tea, and milk.", old);
      assert.equal(field.value, "Please buy tea, and milk.");
      const saved = act(news, "EditCardText", { card: "a", edit: draft.edit });
      assert.equal(saved.rows[0].text, "Please buy tea, and milk.");
    });

    test("stands before it, where it can't be told what it was made of", () => {
      for (const base of [undefined, {}, { text: 1 }, { ...old, text: "Else", revision: -1 }]) {
        const { field, draft } = restored(news, "Milk.", base);
        assert.equal(field.value, "Please buy tea.\nMilk.");
        const saved = act(news, "EditCardText", { card: "a", edit: draft.edit });
        assert.equal(saved.rows[0].text, "Please buy tea.\nMilk.");
      }
    });

    test("is no draft any more when it is as it was", () => {
      const { field, draft } = restored(page, "Buy tea, and milk.", old);
      field.value = "Buy tea.";
      assert.equal(draft.unsaved, undefined);
    });
  });

  test("has what was typed told when it is refused", () => {
    const payload = edit(page, "ada", "Please buy tea, and milk.");
    assert.equal(typed({ type: "EditCardText", payload }), "Please … buy  … , and milk");
    remember(payload.edit, "Please buy tea, and milk.");
    const sent = JSON.parse(JSON.stringify({ type: "EditCardText", payload }));
    assert.equal(typed(sent), "Please buy tea, and milk.");
    assert.equal(typed({ type: "AddCard", payload: { text: "Buy tea." } }), "Buy tea.");
    assert.equal(typed({ type: "Vote", payload: { card: "a" } }), "");
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

describe("drafts", () => {
  test("outlive the page, each on its board", () => {
    const storage = new FakeStorage();
    const [one, other] = [new Drafts("/", storage), new Drafts("/b/x", storage)];
    one.keep("card a", { text: "Tea" });
    other.keep("card a", { text: "Milk" });
    one.keep("message", { text: "Hel" });
    const again = new Drafts("/", storage);
    assert.equal(again.get("card a").text, "Tea");
    assert.deepEqual(again.list("card "), [["card a", { text: "Tea" }]]);
    assert.equal(new Drafts("/b/x", storage).get("card a").text, "Milk");
    again.drop("card a");
    assert.equal(new Drafts("/", storage).get("card a"), undefined);
  });

  test("of two tabs don't replace each other", () => {
    const storage = new FakeStorage();
    const [one, other] = [new Drafts("/", storage), new Drafts("/", storage)];
    one.keep("card a", { text: "Tea" });
    other.keep("card b", { text: "Milk" });
    one.reread();
    assert.equal(one.get("card a").text, "Tea");
    assert.equal(one.get("card b").text, "Milk");
  });

  test("that are blank are none", () => {
    const drafts = new Drafts("/", new FakeStorage());
    drafts.keep("message", { text: "a" });
    drafts.keep("message", { text: "  " });
    assert.equal(drafts.get("message"), undefined);
  });

  test("make room for newer ones, and one that goes on being typed stays", () => {
    const storage = new FakeStorage();
    const drafts = new Drafts("/", storage);
    for (let number = 0; number < 100; number += 1) drafts.keep(`card ${number}`, { text: "x" });
    drafts.keep("card 0", { text: "xy" });
    drafts.keep("card 100", { text: "x" });
    assert.equal(drafts.list("card ").length, 100);
    assert.equal(drafts.get("card 0").text, "xy");
    assert.equal(drafts.get("card 1"), undefined);
    drafts.keep("card 101", { text: "x".repeat(199_900) });
    drafts.keep("card 102", { text: "x".repeat(1000) });
    assert.deepEqual(drafts.list("card ").map(([what]) => what), ["card 102"]);
    const [key] = storage.keys;
    assert(storage.getItem(key).length <= 200_000);
  });

  test("last as long as the page where nothing can be stored", () => {
    const storage = new FakeStorage();
    const drafts = new Drafts("/", storage);
    storage.fault = "full";
    drafts.keep("message", { text: "Hel" });
    drafts.keep("card a", { text: "Tea" });
    assert.equal(drafts.get("message").text, "Hel");
    assert.equal(drafts.get("card a").text, "Tea");
  });

  test("aren't read of what is no storage of drafts", () => {
    for (const text of ["{", "{}", "7", "null", '[["/ message"]]', '[["/ message",{"text":1}]]']) {
      const storage = new FakeStorage();
      storage.setItem("storecast drafts", text);
      const drafts = new Drafts("/", storage);
      assert.equal(drafts.get("message"), undefined);
      drafts.keep("message", { text: "Hel" });
      assert.equal(new Drafts("/", storage).get("message").text, "Hel");
    }
  });
});

describe("a board's URL", () => {
  test("has its room's path and its name", () => {
    assert.deepEqual(boardAt("/b/team"), { path: "/b/team", name: "team" });
    assert.deepEqual(boardAt("/b/caf%C3%A9"), { path: "/b/caf%C3%A9", name: "café" });
    for (const path of ["/", "/b", "/b/", "/b/a/b", "/board/", "/index.html"]) {
      assert.deepEqual(boardAt(path), { path: "/", name: "Board" });
    }
  });

  test("can't hide what it is called", () => {
    assert.equal(boardAt("/b/a%E2%80%AEb").name, "a\\u202eb");
    assert.equal(boardAt("/b/%FF").name, "%FF");
  });

  test("of a new one is one that nobody else has", () => {
    const paths = new Set(Array.from({ length: 1000 }, () => newBoardPath()));
    assert.equal(paths.size, 1000);
    for (const path of paths) assert.match(path, /^\/b\/[a-z]+-[a-z]+-[2-9a-z]{10}$/);
    assert.equal(newBoardPath((numbers) => numbers.fill(0)), "/b/amber-bay-2222222222");
  });
});

describe("what the server has yet to send", () => {
  test("is on its way only while there may be a connection", () => {
    for (const state of ["connecting", "live"]) {
      assert.match(awaited({ state }).board, /on its way/);
      assert.match(awaited({ state }).search, /Searching/);
    }
    for (const state of ["offline", "refused", "closed"]) {
      assert.match(awaited({ state }).board, /wasn't opened in this browser before/);
      assert.match(awaited({ state }).search, /needs a connection/);
    }
  });
});
