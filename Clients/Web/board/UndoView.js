import { byId, element } from "../parts/element.js";
import { announce } from "../parts/notices.js";
import { inverseOf, Undoing } from "./Undoing.js";

/** How long the offer to take something back stays, in milliseconds. */
const stay = 8000;
/** How many removed cards are remembered, to be shown at once when they are restored. */
const mostRemoved = 50;
/** Acts that say by themselves what they did, or are taken back by doing them again. */
const spoken = ["MoveCard", "MoveColumn", "Vote", "Unvote"];
const small = ["Vote", "Unvote", "AddCard"];

/** What was done here, and how it is taken back: with a button for a while, and by Ctrl+Z. */
export class UndoView {
  /**
   * Cards that were removed here, by id.
   *
   * @type {Map<string, import("./reducers.js").Card>}
   */
  removed = new Map();
  #board;
  #undoing = new Undoing();
  /** The id of the newest act, as the server is going to have it. */
  #id = "";
  #text = element("p");
  #button = element("button", { text: "Undo", "aria-keyshortcuts": "Control+Z" });
  #toast = element(
    "section",
    { class: "toast", "aria-label": "Last change", hidden: true },
    this.#text,
    this.#button
  );
  #timer = 0;

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    byId("notices").before(this.#toast);
    // Who is about to press it isn't hurried.
    for (const event of ["pointerenter", "focusin"]) {
      this.#toast.addEventListener(event, () => clearTimeout(this.#timer));
    }
    for (const event of ["pointerleave", "focusout"]) {
      this.#toast.addEventListener(event, () => this.#hideLater());
    }
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      this.#undo();
    });
  }

  /**
   * An optimistic reducer that notes which id an act is going to have.
   *
   * @template State
   * @param {(state: State, action: any, stamp: { id: string }) => State} reduce
   * @returns {(state: State, action: any, stamp: { id: string }) => State}
   */
  noting(reduce) {
    return (state, action, stamp) => {
      this.#id = stamp.id;
      return reduce(state, action, stamp);
    };
  }

  /** @param {import("./reducers.js").Action} act */
  dispatch(act) {
    const inverse = inverseOf(act, this.#shown);
    const card = act.type === "RemoveCard" && this.#board.cardOf(act.payload.card);
    if (card) this.#keep(card);
    this.#id = "";
    const outcome = this.#board.connection.dispatch(act);
    // Before the columns have come, nothing says what is to be taken back.
    if (!inverse || !this.#id) return;
    const entry = this.#undoing.did(inverse, { id: this.#id, outcome });
    if (!spoken.includes(act.type)) announce(inverse.done);
    if (small.includes(act.type)) return;
    this.#text.textContent = inverse.done;
    this.#button.onclick = () => this.#undo(entry);
    this.#toast.hidden = false;
    this.#hideLater();
  }

  /** @returns {import("./Undoing.js").Shown} */
  get #shown() {
    const { columns, connection, me } = this.#board;
    return {
      card: (id) => this.#board.cardOf(id),
      cardsOf: (id) => columns.find(({ column }) => column.id === id)?.cards ?? [],
      columns: columns.map(({ column }) => column),
      me,
      participant: connection.participant,
    };
  }

  /** @param {import("./Undoing.js").Entry} [entry]  the last act, if it is left out */
  #undo(entry) {
    const undone = this.#undoing.undo(this.#shown, entry);
    const hadFocus = this.#toast.contains(document.activeElement);
    this.#toast.hidden = true;
    if (hadFocus) byId("columns").focus();
    if (!undone?.action) return announce("There is nothing that can be undone.");
    void this.#board.connection.dispatch(undone.action);
    announce(`Undone: ${undone.done}`);
  }

  /** @param {import("./reducers.js").Card} card */
  #keep(card) {
    this.removed.set(card.id, card);
    const [oldest] = this.removed.keys();
    if (oldest !== undefined && this.removed.size > mostRemoved) this.removed.delete(oldest);
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#toast.hidden = true), stay);
  }
}

/**
 * Whether keys belong to a field or a dialog.
 *
 * @param {EventTarget | null} target
 */
export const isTyping = (target) =>
  (target instanceof Element && target.closest("input, textarea, select, [contenteditable]")) ||
  document.querySelector("dialog[open]") !== null;
