import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { sharedTextOf } from "../../Clients/Web/board/cardText.js";
import { CardWindow } from "../../Clients/Web/board/CardWindow.js";
import { ColumnStores } from "../../Clients/Web/board/ColumnStores.js";
import { columnsReducer } from "../../Clients/Web/board/reducers.js";
import { editOf, localStorageOutbox, memoryCache } from "../../Clients/Web/storecast/index.js";
import { FakeLocks, FakeStorage } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { TestPeer } from "./support/TestPeer.js";

const card = (id, column) => ({ id, column, text: id, voters: [], author: "bob", created: 0 });
const page = (...rows) => ({ rows, hasBefore: false, hasAfter: false });
const columns = ["todo", "doing", "done"].map((id) => ({ id, title: id, count: 0 }));
/** What the server has. */
const pages = {
  todo: page(card("a", "todo"), card("b", "todo")),
  doing: page(card("c", "doing")),
  done: page(),
};

/** A page with the columns of the board, as `BoardView` and `ColumnView` have them. */
class BoardPage {
  #windows = new Map();
  #columns;
  #stores;

  constructor(peer) {
    this.peer = peer;
    this.connection = peer.connection;
    const reopen = () => [...this.#windows.keys()].forEach((id) => this.#open(id));
    this.#stores = new ColumnStores(peer.connection, "ada", () => undefined, reopen);
    this.#columns = peer.connection.select("columns", undefined, { optimistic: columnsReducer });
    this.#columns.subscribe(() => this.show());
  }

  /** Opens the columns that are known now. */
  show() {
    const ids = (this.#columns.getState() ?? []).map(({ id }) => id);
    const news = ids.filter((id) => !this.#windows.has(id));
    for (const id of news) this.#stores.open(id);
    for (const id of news) this.#open(id);
  }

  #open(id) {
    this.#windows.get(id)?.close();
    this.#windows.set(id, new CardWindow(this.#stores.of(id), () => {}));
  }

  /** Dispatches acts, and shows what comes of them. */
  async act(...acts) {
    for (const [type, payload] of acts) {
      // What has no outcome when the page is closed isn't told then.
      this.connection.dispatch({ type, payload }).catch(() => {});
    }
    await settle();
  }

  /** The cards that are shown, by column; undefined for one that is on its way. */
  get cards() {
    const shown = [...this.#windows].map(([id, window]) => [id, window.isLoaded && window.cards]);
    return Object.fromEntries(shown.map(([id, cards]) => [id, cards || undefined]));
  }

  /** The letters of the cards in each column. */
  get letters() {
    const letters = (cards) => cards?.map(({ text }) => text[0]).join("") ?? "?";
    return Object.values(this.cards).map(letters).join(" ");
  }

  /** Answers to all that is asked for, but for the columns that are left out. */
  async answer(without = []) {
    const asked = await this.peer.welcome({ v: 1 });
    while (asked.length > 0) {
      const { op, ref, select, params } = asked.shift();
      if (op !== "subscribe" || without.includes(params?.column)) continue;
      const value = select === "columns" ? columns : pages[params.column];
      const known = { op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 };
      asked.push(...(await this.peer.say(known, { op: "snapshot", sub: ref, v: 1, value })));
    }
  }

  async close() {
    this.connection.close();
    await settle();
  }
}

/** A browser that opens the board again and again. */
class Browser {
  #cache = memoryCache();
  #storage = new FakeStorage();
  #locks = new FakeLocks();
  #platform = new ManualPlatform();

  /** The page as it is before there is a connection, with what is in the cache. */
  async open() {
    const peer = new TestPeer({
      platform: this.#platform,
      cache: { storage: this.#cache, viewer: "ada" },
      outbox: localStorageOutbox("board", { storage: this.#storage, locks: this.#locks }),
    });
    const board = new BoardPage(peer);
    await settle();
    return board;
  }
}

/** A browser that has had a connection, but for the columns that are left out. */
async function visited(without) {
  const browser = new Browser();
  const board = await browser.open();
  await board.answer(without);
  await board.close();
  return browser;
}

describe("a board without a connection", () => {
  /** The page after these acts, and the one that is loaded behind it. */
  async function twice(acts, look = ({ letters }) => letters, browser = undefined) {
    const device = browser ?? (await visited());
    const board = await device.open();
    await board.act(...acts);
    const before = look(board);
    await board.close();
    const again = await device.open();
    return [before, look(again)];
  }

  test("has a card in the column to which it was moved, when it is loaded again", async () => {
    const right = ["MoveCard", { card: "a", column: "doing", before: "c" }];
    const left = ["MoveCard", { card: "c", column: "todo", before: "b" }];
    assert.deepEqual(await twice([right]), ["b ac ", "b ac "]);
    assert.deepEqual(await twice([left]), ["acb  ", "acb  "]);
    const on = ["MoveCard", { card: "a", column: "done" }];
    assert.deepEqual(await twice([left, right, on]), ["cb  a", "cb  a"]);
  });

  test("has a card that was added and then moved", async () => {
    const device = await visited();
    const board = await device.open();
    await board.act(["AddCard", { column: "todo", text: "new" }]);
    const { id } = board.cards.todo[2];
    await board.act(["MoveCard", { card: id, column: "done" }]);
    assert.equal(board.letters, "ab c n");
    await board.close();
    const again = await device.open();
    assert.equal(again.letters, "ab c n");
    assert.equal(again.cards.done[0].id, id);
  });

  test("shows once what was done to a card before it was moved and after", async () => {
    const tea = sharedTextOf(card("a", "todo"));
    const acts = [
      ["EditCardText", { card: "a", edit: editOf(tea, "ada", "a tea") }],
      ["MoveCard", { card: "a", column: "done" }],
      ["Vote", { card: "a" }],
      ["RemoveCard", { card: "b" }],
    ];
    const look = ({ cards: { done } }) =>
      done.map(({ text, voters, isPending }) => ({ text, voters, isPending }));
    const [before, after] = await twice(acts, look);
    assert.deepEqual(after, [{ text: "a tea", voters: ["ada"], isPending: true }]);
    assert.deepEqual(before, after);
  });

  test("has a card that was removed, moved or not, and came back", async () => {
    const remove = ["RemoveCard", { card: "a" }];
    const restore = ["RestoreCard", { card: "a" }];
    const move = ["MoveCard", { card: "a", column: "done" }];
    assert.deepEqual(await twice([remove]), ["b c ", "b c "]);
    assert.deepEqual(await twice([remove, restore]), ["ba c ", "ba c "]);
    assert.deepEqual(await twice([move, remove, restore]), ["b c a", "b c a"]);
  });

  test("has what is added to a column that is new itself", async () => {
    const device = await visited();
    const board = await device.open();
    await board.act(["AddColumn", { title: "Later" }]);
    const id = Object.keys(board.cards)[3];
    assert.equal(board.letters, "ab c  ");
    await board.act(
      ["AddCard", { column: id, text: "new" }],
      ["MoveCard", { card: "c", column: id, before: undefined }],
    );
    assert.equal(board.letters, "ab   nc");
    await board.close();
    assert.equal((await device.open()).letters, "ab   nc");
  });

  test("has what goes to a column that was never seen, and nothing else in it", async () => {
    const browser = await visited(["done"]);
    const vote = ["Vote", { card: "a" }];
    const move = ["MoveCard", { card: "a", column: "done" }];
    assert.deepEqual(await twice([vote], undefined, browser), ["ab c ?", "ab c ?"]);
    assert.deepEqual(await twice([move], undefined, browser), ["b c a", "b c a"]);
  });
});

describe("a board whose columns come one by one", () => {
  test("shows a card that was moved as soon as the column comes in which it was", async () => {
    const device = await visited(["todo", "doing"]);
    const board = await device.open();
    await board.act(["MoveCard", { card: "a", column: "done" }]);
    assert.equal(board.letters, "? ? ");
    await board.answer(["doing", "done"]);
    assert.equal(board.letters, "b ? a");
  });
});
