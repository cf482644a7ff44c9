import { avatar, shownName } from "../parts/avatar.js";
import { arrange, element, set } from "../parts/element.js";
import { CardView } from "./CardView.js";
import { foundReducer } from "./reducers.js";
import { awaited, counted } from "./sentences.js";
import { isTyping } from "./UndoView.js";

/** @typedef {import("./reducers.js").Page} Page */

/** How long somebody pauses before the server is asked, in milliseconds. */
const pause = 200;
/** The most people who have a button. */
const mostPeople = 6;

/**
 * Looks for cards on the whole board, not only among those that are loaded: the server's selection
 * `search` finds them, and goes on telling which they are.
 */
export class SearchView {
  #board;
  #columns;
  /** @type {Map<string, CardView>} */
  #views = new Map();
  /** Whose cards are looked for. */
  #person = "";
  #asked = "";
  #end = () => {};
  #timer = 0;
  #optimistic;
  #field = element("input", {
    type: "search",
    "aria-label": "Search cards",
    "aria-keyshortcuts": "/",
    placeholder: "Search cards",
    maxlength: "100",
    autocomplete: "off",
    oninput: () => this.#askSoon(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#typed(event),
  });
  #people = element("div", { class: "filters", role: "group", "aria-label": "Whose cards" });
  #count = element("p", { class: "found-count", role: "status" });
  #clear = element("button", {
    class: "plain", text: "Clear", hidden: true, onclick: () => this.#stop(),
  });
  #found = element("section", {
    id: "found",
    "aria-label": "Cards found",
    hidden: true,
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#pressed(event),
  });

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} columns  is hidden while something is looked for
   */
  constructor(board, columns) {
    this.#board = board;
    this.#columns = columns;
    this.#optimistic = foundReducer(board.me);
    const bar = element(
      "search", { class: "search" }, this.#field, this.#people, this.#count, this.#clear
    );
    columns.before(bar);
    columns.after(this.#found);
    const present = board.connection.select("present");
    present.subscribe(() => this.#showPeople(present.getState() ?? []));
    this.#showPeople([]);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      event.preventDefault();
      this.#field.select();
      this.#field.focus();
    });
  }

  /**
   * A card that is shown because it was found.
   *
   * @param {string} id
   */
  cardOf(id) {
    return this.#views.get(id)?.card;
  }

  /** @param {{ id: string }[]} people */
  #showPeople(people) {
    const { me } = this.#board;
    const others = people.map(({ id }) => id).filter((id) => id && id !== me);
    const ids = [...(me ? [me] : []), ...others].slice(0, mostPeople);
    // Whose cards are shown stays to be seen, and taken back, when they leave.
    if (this.#person && !ids.includes(this.#person)) ids.push(this.#person);
    const buttons = ids.map((id) =>
      element(
        "button",
        {
          class: "filter",
          "aria-pressed": String(id === this.#person),
          title: id === me ? "Cards that you do" : `Cards that ${shownName(id)} does`,
          onclick: () => this.#choose(id === this.#person ? "" : id),
          "data-person": id,
        },
        avatar(id),
        element("span", { text: id === me ? "Mine" : shownName(id) })
      )
    );
    const focused = document.activeElement?.getAttribute("data-person");
    this.#people.replaceChildren(...buttons);
    buttons.find((button) => button.getAttribute("data-person") === focused)?.focus();
    this.#people.hidden = buttons.length === 0;
  }

  /** @param {string} person */
  #choose(person) {
    this.#person = person;
    for (const button of this.#people.children) {
      set(button, "aria-pressed", String(button.getAttribute("data-person") === person));
    }
    this.#ask();
  }

  #askSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), pause);
  }

  #ask() {
    clearTimeout(this.#timer);
    const text = this.#field.value.trim();
    const part = { ...(text && { text }), ...(this.#person && { assignee: this.#person }) };
    const asked = JSON.stringify(part);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#end();
    this.#end = () => {};
    const isActive = asked !== "{}";
    this.#columns.hidden = isActive;
    this.#found.hidden = !isActive;
    this.#clear.hidden = !isActive;
    if (!isActive) {
      this.#show([]);
      this.#count.textContent = "";
      return;
    }
    const store = this.#board.connection.select("search", part, { optimistic: this.#optimistic });
    const { connection } = this.#board;
    const show = () => {
      const page = store.getState();
      if (page) return this.#showPage(page);
      this.#count.textContent = store.problem?.title ?? awaited(connection.status).search;
    };
    const ends = [store.subscribe(show), connection.on("status", show)];
    this.#end = () => ends.forEach((end) => end());
    show();
  }

  /** @param {Page} page */
  #showPage({ rows, count = rows.length, hasAfter }) {
    this.#show(rows);
    const number = counted(count, "card");
    this.#count.textContent = hasAfter
      ? `The newest ${rows.length} of ${number} found`
      : count === 0 ? "No cards found" : `${number} found`;
  }

  /**
   * Shows cards by their columns, in the order of the board.
   *
   * @param {readonly import("./reducers.js").Card[]} cards
   */
  #show(cards) {
    const ids = new Set(cards.map(({ id }) => id));
    for (const [id, view] of this.#views) {
      if (ids.has(id)) continue;
      view.element.remove();
      this.#views.delete(id);
    }
    const groups = this.#board.columns.map(({ column: { id, title } }) => {
      const items = cards.filter(({ column }) => column === id).map((card) => this.#item(card));
      return { id, title, items };
    });
    const shown = groups.filter(({ items }) => items.length > 0).map((group) => this.#group(group));
    arrange(this.#found, shown);
    const elements = [...this.#views.values()];
    if (elements.some((view) => view.element === document.activeElement)) return;
    for (const view of elements) view.isCurrent = false;
    const first = this.#found.querySelector(".card")?.getAttribute("data-card");
    const current = this.#views.get(first ?? "");
    if (current) current.isCurrent = true;
  }

  /** @param {import("./reducers.js").Card} card */
  #item(card) {
    const known = this.#views.get(card.id);
    if (known) known.show(card);
    const view = known ?? new CardView(card, this.#board.me, this.#board);
    this.#views.set(card.id, view);
    return view.element;
  }

  /** @param {{ id: string, title: string, items: HTMLElement[] }} group */
  #group({ id, title, items }) {
    const groups = [...this.#found.children];
    const known = groups.find((child) => child.getAttribute("data-group") === id);
    const parts = [element("h2"), element("ul", { class: "cards" })];
    const group = known ?? element("section", { "data-group": id }, ...parts);
    group.children[0].textContent = title;
    set(group.children[1], "aria-label", `Cards found in ${title}`);
    arrange(group.children[1], items);
    return group;
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.#stop();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      this.#ask();
      this.#found.querySelector(".card")?.focus();
    }
  }

  /**
   * On a card that was found, arrows go to the others.
   *
   * @param {KeyboardEvent} event
   */
  #pressed(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") return this.#stop();
    if (!(target instanceof HTMLElement) || !target.matches(".card")) return;
    const cards = [...this.#found.querySelectorAll(".card")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const view = this.#views.get(target.getAttribute("data-card") ?? "");
    if (step) this.#goTo(cards[cards.indexOf(target) + step], view);
    else if (!view || !this.#command(event.key, view)) return;
    event.preventDefault();
  }

  /**
   * The keys of a card, as those of the board's.
   *
   * @param {string} key
   * @param {CardView} view
   */
  #command(key, view) {
    const does = {
      Enter: () => view.edit(),
      e: () => view.edit(),
      o: () => this.#board.openCard(view),
      v: () => this.#board.toggleVote(view),
      Delete: () => this.#board.removeCard(view),
      Backspace: () => this.#board.removeCard(view),
    }[key.length === 1 ? key.toLowerCase() : key];
    does?.();
    return does !== undefined;
  }

  /**
   * @param {Element | undefined} card
   * @param {CardView | undefined} from
   */
  #goTo(card, from) {
    const view = this.#views.get(card?.getAttribute("data-card") ?? "");
    if (!view) return this.#field.focus();
    if (from) from.isCurrent = false;
    view.isCurrent = true;
    view.element.focus();
  }

  /** Shows the whole board again. */
  #stop() {
    this.#field.value = "";
    this.#choose("");
    this.#columns.focus();
  }
}
