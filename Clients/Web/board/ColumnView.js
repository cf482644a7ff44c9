import { arrange, element, set } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { tellLost } from "./lostTexts.js";
import { pageReducer } from "./reducers.js";
import { counted } from "./sentences.js";
import { editTitle } from "./TitleEditor.js";

/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Column} Column */

/** A column: its title, a page of its cards, and how to add one. */
export class ColumnView {
  /** @type {Column} */
  column;
  /**
   * Those that are shown.
   *
   * @type {readonly Card[]}
   */
  cards = [];
  /** Whether there are cards below those that are shown. */
  hasMore = false;
  #end = () => {};
  #pages;
  /**
   * Where the page was asked for that is on its way.
   *
   * @type {"previous" | "next" | undefined}
   */
  #turn;
  #title = element("h2", { title: "Click to rename" });
  #number = element("span", { class: "number" });
  #form;
  #field;
  #cancel;
  #board;

  /**
   * @param {Column} column
   * @param {import("./BoardView.js").BoardView} board
   */
  constructor(column, board) {
    this.column = column;
    this.#board = board;
    this.list = element("ul", { class: "cards loading" });
    this.#title.onclick = () => editTitle(this, this.#title, board);
    this.previous = this.#turnButton("previous", "↑ Cards above");
    this.next = this.#turnButton("next", "↓ More cards");
    this.add = element("button", { class: "plain add", onclick: () => this.write() });
    this.#cancel = element("button", { type: "button", onclick: () => this.#discard() });
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
      onkeydown: this.#pressed,
      oninput: () => this.#typed(),
    });
    this.#form = element(
      "form",
      { class: "adding", hidden: true, onsubmit: this.#submit },
      this.#field,
      element(
        "div",
        { class: "buttons" },
        this.#cancel,
        element("button", { class: "primary", text: "Add" })
      )
    );
    this.element = element(
      "section",
      { class: "column", "data-column": column.id },
      element("header", {}, this.#title, this.#number, edit),
      this.previous,
      this.list,
      this.next,
      this.#form,
      this.add
    );
    this.show(column);
    this.#field.value = board.drafts.get(this.#draft)?.text ?? "";
    this.#form.hidden = !this.#field.value;
    this.add.hidden = !this.#form.hidden;
    this.#typed();
    const { connection, me } = board;
    const optimistic = pageReducer(column.id, me, (id) => board.views.get(id)?.card);
    const at = (/** @type {object} */ place) => ({ column: column.id, ...place });
    this.#pages = connection.pages("column", at, { optimistic });
    this.#end = this.#pages.subscribe(() => this.#showPage());
    this.#showPage();
  }

  /**
   * @param {"previous" | "next"} way
   * @param {string} text
   */
  #turnButton(way, text) {
    const onclick = () => {
      this.#turn = way;
      this.#pages[way]();
    };
    return element("button", { class: "plain turn", hidden: true, text, onclick });
  }

  /** @param {Column} column */
  show(column) {
    this.column = column;
    this.#title.textContent = column.title;
    set(this.element, "aria-label", column.title);
    set(this.list, "aria-label", `Cards in ${column.title}`);
    this.element.classList.toggle("waiting", column.isPending === true);
    this.#showNumber();
  }

  /** Of all cards; where all are shown, with those that the server hasn't confirmed. */
  #showNumber() {
    const isWhole = this.next.hidden && this.previous.hidden;
    const number = isWhole ? this.cards.length : this.column.count;
    this.#number.textContent = String(number);
    set(this.#number, "aria-label", counted(number, "card"));
  }

  /** The column is gone. */
  close() {
    this.#end();
    this.element.remove();
    const { value } = this.#field;
    if (!value.trim()) return;
    this.#board.drafts.drop(this.#draft);
    const { title } = this.column;
    tellLost(this.#board.drafts, `${title} was removed. You had typed for a new card:`, value);
  }

  /** What the draft of a new card is called. */
  get #draft() {
    return `new ${this.column.id}`;
  }

  /** Keeps what is typed of a new card, until it is added or discarded. */
  #typed() {
    const { value } = this.#field;
    this.#board.drafts.keep(this.#draft, { text: value });
    const hasText = value.trim() !== "";
    this.#cancel.textContent = hasText ? "Discard" : "Cancel";
    this.add.textContent = hasText ? "+ Add a card (draft)" : "+ Add a card";
  }

  #discard() {
    this.#field.value = "";
    this.#typed();
    this.#stopWriting();
  }

  /** Opens the field for a new card. */
  write() {
    this.#form.hidden = false;
    this.add.hidden = true;
    this.#field.focus();
  }

  #showPage() {
    const page = this.#pages.getState();
    if (!page) return;
    this.list.classList.remove("loading");
    // Others may have taken all of its cards away.
    if (page.hasBefore && page.rows.length === 0 && !this.#pages.isTurning) this.#pages.first();
    this.hasMore = page.hasAfter;
    this.next.hidden = !page.hasAfter;
    this.previous.hidden = !page.hasBefore;
    this.#showCards(page.rows);
    this.#showNumber();
    if (!this.#turn || this.#pages.isTurning) return;
    this.list.scrollTop = this.#turn === "next" ? 0 : this.list.scrollHeight;
    if (this[this.#turn].hidden) this.list.querySelector("li")?.focus();
    this.#turn = undefined;
  }

  /** @param {readonly Card[]} cards */
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
  }

  /** @param {KeyboardEvent} event */
  #pressed = (event) => {
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
    this.#typed();
    this.#field.focus();
    this.list.scrollTop = this.list.scrollHeight;
    if (!this.hasMore) return;
    notify(`It is at the bottom of ${this.column.title}, below what is shown.`, { kind: "good" });
  };

  #stopWriting() {
    this.#form.hidden = true;
    this.add.hidden = false;
    this.add.focus();
  }
}
