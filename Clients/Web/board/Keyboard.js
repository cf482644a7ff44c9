/**
 * The board by keyboard. Tab comes to one card, arrows go from there to the others, and with Shift
 * they move it.
 */
export class Keyboard {
  #board;
  /** @type {import("./CardView.js").CardView | undefined} */
  #current;
  /** Where the current card was, for when somebody takes it away. */
  #place = { column: 0, index: 0 };
  #hadFocus = false;

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} root
   */
  constructor(board, root) {
    this.#board = board;
    root.addEventListener("focusin", ({ target }) => {
      const view = this.#viewAt(target);
      this.#hadFocus = target === view?.element;
      if (view) this.#choose(view);
    });
    root.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget) this.#hadFocus = false;
    });
    root.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Cards have come, gone or moved: there is still one that Tab comes to, and focus isn't lost. */
  settle() {
    if (this.#current?.element.isConnected) return this.#choose(this.#current);
    const { columns } = this.#board;
    const items = itemsOf(columns[this.#place.column] ?? columns[0]);
    const item = items[Math.min(this.#place.index, items.length - 1)];
    const view = this.#viewAt(item) ?? this.#board.views.values().next().value;
    if (view) this.#choose(view);
    if (this.#hadFocus && document.activeElement === document.body) item?.focus();
  }

  /** @param {import("./CardView.js").CardView} view */
  #choose(view) {
    if (this.#current && this.#current !== view) this.#current.isCurrent = false;
    this.#current = view;
    view.isCurrent = true;
    const column = this.#board.columnOf(view);
    if (!column) return;
    this.#place.column = this.#board.columns.indexOf(column);
    this.#place.index = itemsOf(column).indexOf(view.element);
  }

  /** @param {EventTarget | null | undefined} target */
  #viewAt(target) {
    const element = target instanceof Element ? target.closest(".card") : null;
    return this.#board.views.get(element?.getAttribute("data-card") ?? "");
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
    const item = target.closest(".card, .add");
    if (item !== target) return;
    const view = this.#viewAt(item);
    const isDone = arrows[key]
      ? this.#arrow(target, view, arrows[key], event.shiftKey)
      : view && this.#command(key, view);
    if (isDone) event.preventDefault();
  }

  /**
   * @param {HTMLElement} item
   * @param {import("./CardView.js").CardView | undefined} view
   * @param {{ x: number, y: number }} arrow
   * @param {boolean} isMove
   */
  #arrow(item, view, { x, y }, isMove) {
    const { columns } = this.#board;
    const column = columns.findIndex(({ element }) => element.contains(item));
    const index = itemsOf(columns[column]).indexOf(item);
    const target = columns[column + x];
    if (!target) return true;
    const place = view ? columns[column].cards.indexOf(view.card) : -1;
    if (isMove) return view && this.#move(view, target, x === 0 ? place + y : place, y);
    const items = itemsOf(target);
    items[Math.max(0, Math.min(index + y, items.length - 1))]?.focus();
    return true;
  }

  /**
   * @param {import("./CardView.js").CardView} view
   * @param {import("./ColumnView.js").ColumnView} target
   * @param {number} index  the place among the others
   * @param {number} y
   */
  #move(view, target, index, y) {
    if (index < 0) return true;
    const others = target.cards.filter(({ id }) => id !== view.card.id);
    if (y !== 0 && index > others.length) return true;
    this.#board.move(view, target, others[index]?.id);
    return true;
  }

  /**
   * @param {string} key
   * @param {import("./CardView.js").CardView} view
   */
  #command(key, view) {
    switch (key.length === 1 ? key.toLowerCase() : key) {
      case "Enter":
      case "e":
        view.edit();
        return true;
      case "o":
        this.#board.openCard(view);
        return true;
      case "Delete":
      case "Backspace":
        this.#board.removeCard(view);
        return true;
      case "v":
        this.#board.toggleVote(view);
        return true;
      case "n":
        this.#board.columnOf(view)?.write();
        return true;
      default:
        return false;
    }
  }
}

/** @type {Record<string, { x: number, y: number }>} */
const arrows = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

/**
 * What arrows go through in a column: its cards, and the button below them.
 *
 * @param {import("./ColumnView.js").ColumnView | undefined} column
 * @returns {HTMLElement[]}
 */
function itemsOf(column) {
  if (!column) return [];
  const cards = column.list.querySelectorAll(".card");
  return [...cards, column.add].filter(({ hidden }) => !hidden);
}
