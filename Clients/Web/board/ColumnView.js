import { arrange, element, set } from "../parts/element.js";
import { cardsReducer } from "./reducers.js";
import { counted } from "./sentences.js";

/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Column} Column */

/** A column: its title, its cards, and how to add one. */
export class ColumnView {
  /** @type {Column} */
  column;
  /** @type {Card[]} */
  cards = [];
  #end = () => {};
  #title = element("h2");
  #number = element("span", { class: "number" });
  #form;
  #field;
  #board;

  /**
   * @param {Column} column
   * @param {import("./BoardView.js").BoardView} board
   */
  constructor(column, board) {
    this.column = column;
    this.#board = board;
    this.list = element("ul", { class: "cards" });
    this.add = element("button", {
      class: "plain add",
      text: "+ Add a card",
      onclick: () => this.write(),
    });
    const edit = element("button", {
      class: "plain icon",
      text: "⋯",
      "aria-label": "Open the column",
      onclick: () => board.openColumn(this),
    });
    this.#field = element("textarea", {
      rows: "2",
      maxlength: "500",
      "aria-label": "Text of the new card",
      placeholder: "What is to be done?",
      onkeydown: this.#typed,
    });
    this.#form = element(
      "form",
      { class: "adding", hidden: true, onsubmit: this.#submit },
      this.#field,
      element(
        "div",
        { class: "buttons" },
        element("button", { type: "button", text: "Cancel", onclick: () => this.#stopWriting() }),
        element("button", { class: "primary", text: "Add" })
      )
    );
    this.element = element(
      "section",
      { class: "column", "data-column": column.id },
      element("header", {}, this.#title, this.#number, edit),
      this.list,
      this.#form,
      this.add
    );
    this.show(column);
    const { connection, me } = board;
    const optimistic = cardsReducer(column.id, me, (id) => board.views.get(id)?.card);
    const store = connection.select("column", column.id, { optimistic });
    const show = () => this.#showCards(store.getState() ?? []);
    this.#end = store.subscribe(show);
    show();
  }

  /** @param {Column} column */
  show(column) {
    this.column = column;
    this.#title.textContent = column.title;
    set(this.element, "aria-label", column.title);
    set(this.list, "aria-label", `Cards in ${column.title}`);
    this.element.classList.toggle("waiting", column.isPending === true);
  }

  /** The column is gone. */
  close() {
    this.#end();
    this.element.remove();
  }

  /** Opens the field for a new card. */
  write() {
    this.#form.hidden = false;
    this.add.hidden = true;
    this.#field.focus();
  }

  /** @param {Card[]} cards */
  #showCards(cards) {
    const old = this.cards;
    this.cards = cards;
    const isSameOrder =
      old.length === cards.length && cards.every(({ id }, index) => id === old[index].id);
    if (!isSameOrder) this.#board.willRearrange();
    const views = cards.map((card) => this.#board.viewOf(card));
    if (isSameOrder) return;
    // The mark of a place to drop a card stays.
    arrange(this.list, views.map((view) => view.element), (child) => child.matches(".place"));
    this.#number.textContent = String(cards.length);
    set(this.#number, "aria-label", counted(cards.length, "card"));
  }

  /** @param {KeyboardEvent} event */
  #typed = (event) => {
    if (event.key === "Escape") this.#stopWriting();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  };

  /** @param {Event} event */
  #submit = (event) => {
    event.preventDefault();
    const text = this.#field.value.trim();
    if (!text) return;
    this.#board.dispatch("AddCard", { column: this.column.id, text });
    this.#field.value = "";
    this.#field.focus();
    this.list.scrollTop = this.list.scrollHeight;
  };

  #stopWriting() {
    this.#form.hidden = true;
    this.add.hidden = false;
    this.add.focus();
  }
}
