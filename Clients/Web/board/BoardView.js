import { arrange, byId, element } from "../parts/element.js";
import { announce } from "../parts/notices.js";
import { CardDialog } from "./CardDialog.js";
import { draftOf } from "./CardEditing.js";
import { CardHistory } from "./CardHistory.js";
import { CardView } from "./CardView.js";
import { ColumnDialog } from "./ColumnDialog.js";
import { ColumnStores } from "./ColumnStores.js";
import { ColumnView } from "./ColumnView.js";
import { Dragging } from "./Dragging.js";
import { Keyboard } from "./Keyboard.js";
import { askAfter } from "./lostTexts.js";
import { Rearrangement } from "./Rearrangement.js";
import { columnsReducer } from "./reducers.js";
import { SearchView } from "./SearchView.js";
import { awaited, excerpt } from "./sentences.js";
import { UndoView } from "./UndoView.js";
import { Welcome } from "./Welcome.js";

/** The columns with their cards, and everything that one can do to them. */
export class BoardView {
  /**
   * The cards that are shown, by id.
   *
   * @type {Map<string, CardView>}
   */
  views = new Map();
  /**
   * From left to right.
   *
   * @type {ColumnView[]}
   */
  columns = [];
  /** Whether it is known what is on the board. */
  isKnown = false;
  #root = byId("columns");
  #addColumn = element("button", {
    class: "plain add-column",
    text: "+ Add a column",
    onclick: () => this.#columnDialog.open(),
  });
  #cardDialog = new CardDialog(this);
  #columnDialog = new ColumnDialog(this);
  #welcome = new Welcome(this);
  #keyboard = new Keyboard(this, this.#root);
  #history;
  #undo;
  #search;
  /** @type {Rearrangement | undefined} */
  #rearrangement;

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection
   * @param {string} me
   * @param {import("./Drafts.js").Drafts} drafts
   */
  constructor(connection, me, drafts) {
    this.connection = connection;
    this.me = me;
    this.drafts = drafts;
    const loading = element("p", { class: "loading", text: awaited(connection.status).board });
    this.#root.append(loading);
    const forget = connection.on("status", (status) => {
      loading.textContent = awaited(status).board;
      if (this.isKnown) forget();
    });
    this.#undo = new UndoView(this);
    this.#history = new CardHistory(connection, me);
    const find = (/** @type {string} */ id) => this.#find(id);
    this.stores = new ColumnStores(connection, me, find, () => this.#reopen());
    const optimistic = this.#undo.noting(columnsReducer);
    const columns = connection.select("columns", undefined, { optimistic });
    columns.subscribe(() => {
      const known = columns.getState();
      if (known) this.#showColumns(known);
    });
    new Dragging(this, this.#root);
    this.#search = new SearchView(this, this.#root);
    for (const [what] of drafts.list(draftOf({ id: "" }))) askAfter(this, what.slice(5));
  }

  /**
   * @param {string} type
   * @param {object} payload
   */
  dispatch(type, payload) {
    this.#undo.dispatch({ type, payload });
  }

  /**
   * A card that is shown, or that was removed here of late.
   *
   * @param {string} id
   */
  #find(id) {
    return this.cardOf(id) ?? this.#undo.removed.get(id);
  }

  /**
   * A card that is shown, in a column or because it was found.
   *
   * @param {string} id
   */
  cardOf(id) {
    return this.views.get(id)?.card ?? this.#search.cardOf(id);
  }

  /**
   * Puts a card above another one, or at the end of a column, and says so.
   *
   * @param {CardView} view
   * @param {ColumnView} target
   * @param {string | undefined} before
   */
  move(view, target, before) {
    const { id, text } = view.card;
    const others = target.cards.filter((card) => card.id !== id);
    // What is below the last card that is shown isn't known.
    if (before === undefined && target.hasMore) before = others.at(-1)?.id;
    const index = others.findIndex((card) => card.id === before);
    const place = index < 0 ? others.length : index;
    if (target.cards[place]?.id === id) return;
    this.dispatch("MoveCard", { card: id, column: target.column.id, before });
    const count = others.length + 1;
    announce(`${excerpt(text)} moved to ${target.column.title}, place ${place + 1} of ${count}.`);
  }

  /**
   * Puts a column in front of another one, or at the right end, and says so.
   *
   * @param {ColumnView} view
   * @param {ColumnView | undefined} before
   */
  moveColumn(view, before) {
    const others = this.columns.filter((column) => column !== view);
    const place = before ? others.indexOf(before) : others.length;
    if (place === this.columns.indexOf(view)) return;
    this.dispatch("MoveColumn", { column: view.column.id, before: before?.column.id });
    announce(`${view.column.title} moved to place ${place + 1} of ${others.length + 1}.`);
  }

  /** @param {CardView} view */
  toggleVote(view) {
    const { id, voters } = view.card;
    this.dispatch(voters.includes(this.me) ? "Unvote" : "Vote", { card: id });
    announce(voters.includes(this.me) ? "Vote taken back." : "Voted.");
  }

  /** @param {CardView} view */
  openCard(view) {
    if (view.isEdited) return view.edit();
    void this.#cardDialog.open(view);
    this.#history.show(view.card);
  }

  /**
   * Removes a card; that can be undone.
   *
   * @param {CardView} view
   */
  removeCard({ card }) {
    this.dispatch("RemoveCard", { card: card.id });
  }

  /** @param {ColumnView} column */
  openColumn(column) {
    void this.#columnDialog.open(column);
  }

  /**
   * The view of a card as it is now.
   *
   * @param {import("./reducers.js").Card} card
   */
  viewOf(card) {
    const known = this.views.get(card.id);
    if (known) {
      known.show(card);
      return known;
    }
    const view = new CardView(card, this.me, this);
    this.views.set(card.id, view);
    return view;
  }

  /** @param {CardView} view */
  columnOf(view) {
    const { column } = view.card;
    return (
      this.columns.find(({ list }) => list === view.element.parentElement) ??
      this.columns.find(({ column: { id } }) => id === column)
    );
  }

  /**
   * Cards are about to come, go or change places; all that do so together are shown together.
   *
   * @param {{ isStill?: boolean }} how  still if none of those that can be seen moves
   */
  willRearrange(how = {}) {
    if (this.#rearrangement) return;
    const rearrangement = new Rearrangement(how.isStill ? new Map() : this.views);
    this.#rearrangement = rearrangement;
    queueMicrotask(() => {
      this.#rearrangement = undefined;
      for (const [id, view] of this.views) {
        if (view.element.isConnected || view.isEdited) continue;
        this.views.delete(id);
        if (this.drafts.get(draftOf({ id }))) askAfter(this, id);
      }
      rearrangement.show();
      this.#welcome.show();
      this.#keyboard.settle();
    });
  }

  #reopen() {
    for (const column of this.columns) column.reopen();
  }

  /** @param {import("./reducers.js").Column[]} columns */
  #showColumns(columns) {
    this.willRearrange();
    this.isKnown = true;
    const known = new Map(this.columns.map((view) => [view.column.id, view]));
    // All of them before the first is shown, as cards may go from one to another.
    const ends = columns.map(({ id }) => (known.has(id) ? () => {} : this.stores.open(id)));
    this.columns = columns.map((column, index) => {
      const view = known.get(column.id) ?? new ColumnView(column, this, ends[index]);
      view.show(column);
      known.delete(column.id);
      return view;
    });
    for (const gone of known.values()) gone.close();
    arrange(this.#root, [...this.columns.map((view) => view.element), this.#addColumn]);
  }
}
