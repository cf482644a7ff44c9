import { arrange, element, set } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { CardWindow } from "./CardWindow.js";
import { tellLost } from "./lostTexts.js";
import { counted } from "./sentences.js";
import { editTitle } from "./TitleEditor.js";

/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Column} Column */

/** How many heights of the list there are to be above and below what is seen of it. */
const reserve = 2;

/** A column: its title, the cards around those that are looked at, and how to add one. */
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
  /** @type {CardWindow | undefined} */
  #window;
  /** Whether cards were on their way when it was shown last. */
  #wasMoving = false;
  /** How high the cards are that were above those that are shown. */
  #above = 0;
  #title = element("h2", { title: "Click to rename" });
  #number = element("span", { class: "number" });
  #form;
  #field;
  #cancel;
  #board;
  #end;

  /**
   * @param {Column} column
   * @param {import("./BoardView.js").BoardView} board
   * @param {() => void} end  is called when the column is gone
   */
  constructor(column, board, end) {
    this.column = column;
    this.#board = board;
    this.#end = end;
    this.list = element("ul", { class: "cards loading", onscroll: () => this.#fill() });
    new ResizeObserver(() => this.#fill()).observe(this.list);
    this.#title.onclick = () => editTitle(this, this.#title, board);
    this.add = element("button", { class: "plain add", onclick: () => this.write() });
    this.#cancel = element("button", { type: "button", onclick: () => this.#discard() });
    const edit = element("button", {
      class: "plain icon",
      text: "⋯",
      "aria-label": "Open the column",
      "aria-keyshortcuts": "Shift+ArrowLeft Shift+ArrowRight",
      onclick: () => board.openColumn(this),
      onkeydown: this.#moved,
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
      this.list,
      this.#form,
      this.add
    );
    this.show(column);
    this.#field.value = board.drafts.get(this.#draft)?.text ?? "";
    this.#form.hidden = !this.#field.value;
    this.add.hidden = !this.#form.hidden;
    this.#typed();
    this.#open();
  }

  #open() {
    const storeAt = this.#board.stores.of(this.column.id);
    this.#window = new CardWindow(storeAt, () => this.#window && this.#showWindow());
    this.#showWindow();
  }

  /** Makes its cards anew of what is known now; a column that has been scrolled stays as it is. */
  reopen() {
    if (this.#window?.hasBefore) return;
    this.#window?.close();
    this.#open();
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
    const isWhole = !this.hasMore && !this.#window?.hasBefore;
    const number = isWhole ? this.cards.length : this.column.count;
    this.#number.textContent = String(number);
    set(this.#number, "aria-label", counted(number, "card"));
  }

  /** The column is gone. */
  close() {
    this.#window?.close();
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

  #showWindow() {
    if (!this.#window?.isLoaded) return;
    this.list.classList.remove("loading");
    const { cards, hasAfter, hasBefore, isMoving } = this.#window;
    this.hasMore = hasAfter;
    set(this.list, "aria-busy", isMoving && "true");
    const how = { isStill: this.#wasMoving && !isMoving };
    this.#wasMoving = isMoving;
    if (cards[0]?.id === this.cards[0]?.id) this.#showCards(cards, how);
    else this.#keepPlace(() => this.#showCards(cards, how), hasBefore);
    this.#showNumber();
    this.#fill();
  }

  /**
   * Has the cards that stay be where they were: room is left in place of those above that went.
   *
   * @param {() => void} show
   * @param {boolean} hasBefore
   */
  #keepPlace(show, hasBefore) {
    const old = [...this.list.children].map((item) => ({ item, top: item.offsetTop }));
    show();
    const stays = old.find(({ item }) => item.parentElement === this.list);
    if (!stays || (!hasBefore && this.#above === 0)) return;
    const needed = this.#above + stays.top - stays.item.offsetTop;
    this.#above = hasBefore ? Math.max(0, needed) : 0;
    this.list.style.setProperty("--above", `${this.#above}px`);
    this.list.scrollTop += stays.item.offsetTop - stays.top;
  }

  /** Asks for what is about to be seen. */
  #fill() {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    if (clientHeight === 0 || !this.#window || this.#window.isMoving) return;
    const room = reserve * clientHeight;
    if (scrollTop - this.#above < room && this.#window.hasBefore) this.#window.previous();
    else if (scrollHeight - scrollTop - clientHeight < room) this.#window.next();
  }

  /** @param {KeyboardEvent} event */
  #moved = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !event.shiftKey) return;
    event.preventDefault();
    const { columns } = this.#board;
    const others = columns.filter((view) => view !== this);
    const place = columns.indexOf(this) + step;
    if (place >= 0 && place <= others.length) this.#board.moveColumn(this, others[place]);
  };

  /**
   * @param {readonly Card[]} cards
   * @param {{ isStill: boolean }} how
   */
  #showCards(cards, how) {
    const old = this.cards;
    this.cards = cards;
    const isSameOrder =
      old.length === cards.length && cards.every(({ id }, index) => id === old[index].id);
    if (!isSameOrder) this.#board.willRearrange(how);
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
