import { arrange, byId, element } from "../parts/element.js";
import { announce, notify } from "../parts/notices.js";
import { CardDialog } from "./CardDialog.js";
import { draftOf } from "./CardEditing.js";
import { CardView } from "./CardView.js";
import { ColumnDialog } from "./ColumnDialog.js";
import { ColumnView } from "./ColumnView.js";
import { Dragging } from "./Dragging.js";
import { Keyboard } from "./Keyboard.js";
import { askAfter } from "./lostTexts.js";
import { Rearrangement } from "./Rearrangement.js";
import { columnsReducer } from "./reducers.js";
import { excerpt } from "./sentences.js";
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
    this.#root.append(element("p", { class: "loading", text: "The board is on its way…" }));
    const columns = connection.select("columns", undefined, { optimistic: columnsReducer });
    columns.subscribe(() => {
      const known = columns.getState();
      if (known) this.#showColumns(known);
    });
    new Dragging(this, this.#root);
    for (const [what] of drafts.list(draftOf({ id: "" }))) askAfter(this, what.slice(5));
  }

  /**
   * @param {string} type
   * @param {object} payload
   */
  dispatch(type, payload) {
    void this.connection.dispatch({ type, payload });
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

  /** @param {CardView} view */
  toggleVote(view) {
    const { id, voters } = view.card;
    this.dispatch(voters.includes(this.me) ? "Unvote" : "Vote", { card: id });
    announce(voters.includes(this.me) ? "Vote taken back." : "Voted.");
  }

  /** @param {CardView} view */
  openCard(view) {
    void this.#cardDialog.open(view);
  }

  /**
   * Removes a card, and offers to add it again.
   *
   * @param {CardView} view
   */
  removeCard({ card }) {
    const column = this.columns.find((candidate) => candidate.cards.includes(card));
    const place = column?.cards.indexOf(card) ?? -1;
    const before = column?.cards[place + 1]?.id;
    this.dispatch("RemoveCard", { card: card.id });
    const { column: home, text } = card;
    const run = () => this.dispatch("AddCard", { column: home, text, before });
    notify(`Removed: ${excerpt(text)}`, { kind: "good", action: { text: "Undo", run } });
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
    return this.columns.find(({ list }) => list === view.element.parentElement);
  }

  /** Cards are about to come, go or change places; all that do so together are shown together. */
  willRearrange() {
    if (this.#rearrangement) return;
    const rearrangement = new Rearrangement(this.views);
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

  /** @param {import("./reducers.js").Column[]} columns */
  #showColumns(columns) {
    this.willRearrange();
    this.isKnown = true;
    const known = new Map(this.columns.map((view) => [view.column.id, view]));
    this.columns = columns.map((column) => {
      const view = known.get(column.id) ?? new ColumnView(column, this);
      view.show(column);
      known.delete(column.id);
      return view;
    });
    for (const gone of known.values()) gone.close();
    arrange(this.#root, [...this.columns.map((view) => view.element), this.#addColumn]);
  }
}
