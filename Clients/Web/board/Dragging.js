import { element } from "../parts/element.js";
import { Grabbing, pull } from "./Grabbing.js";

/** @typedef {{ x: number, y: number }} Point */

/** Dragging cards, and columns by their headings. */
export class Dragging {
  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} root
   */
  constructor(board, root) {
    new Grabbing(root, (target) => {
      const card = target.closest(".card");
      if (card) {
        const view = board.views.get(card.getAttribute("data-card") ?? "");
        return view && new CardInHand(board, root, view);
      }
      const heading = target.closest(".column > header");
      const column = heading && board.columns.find(({ element }) => element.contains(heading));
      return column ? new ColumnInHand(board, root, column) : undefined;
    });
  }
}

/** A card that is dragged; a mark shows where it would go. */
class CardInHand {
  #board;
  #root;
  #view;
  /** @type {import("./ColumnView.js").ColumnView | undefined} */
  #target;
  /** @type {string | undefined} */
  #before;
  #mark = element("li", { class: "place", "aria-hidden": "true" });

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} root
   * @param {import("./CardView.js").CardView} view
   */
  constructor(board, root, view) {
    this.#board = board;
    this.#root = root;
    this.#view = view;
  }

  get element() {
    return this.#view.element;
  }

  /** @param {Point} at */
  follow({ x, y }) {
    const column = this.#board.columns.find(({ element }) => {
      const { left, right } = element.getBoundingClientRect();
      return x >= left && x < right;
    });
    this.#target = column;
    if (!column) return this.#mark.remove();
    const cards = [...column.list.querySelectorAll(".card:not(.dragged)")];
    const next = cards.find((card) => {
      const { top, height } = card.getBoundingClientRect();
      return y < top + height / 2;
    });
    this.#before = next?.getAttribute("data-card") ?? undefined;
    put(this.#mark, column.list, next ?? null);
  }

  /** @param {Point} at */
  scroll({ x, y }) {
    const across = pull(x, this.#root.getBoundingClientRect(), "left", "right");
    this.#root.scrollLeft += across;
    const list = this.#target?.list;
    const down = list ? pull(y, list.getBoundingClientRect(), "top", "bottom") : 0;
    if (list) list.scrollTop += down;
    return across !== 0 || down !== 0;
  }

  drop() {
    if (this.#target) this.#board.move(this.#view, this.#target, this.#before);
  }

  end() {
    this.#mark.remove();
  }
}

/**
 * Puts a mark before what is behind its place; nothing is drawn anew where it is there already.
 *
 * @param {Element} mark
 * @param {Element} parent
 * @param {Element | null} behind
 */
function put(mark, parent, behind) {
  if (mark.parentElement === parent && mark.nextElementSibling === behind) return;
  parent.insertBefore(mark, behind);
}

/** A column that is dragged by its heading. */
class ColumnInHand {
  #board;
  #root;
  #view;
  /** @type {import("./ColumnView.js").ColumnView | undefined} */
  #before;
  #mark = element("div", { class: "column-place", "aria-hidden": "true" });

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} root
   * @param {import("./ColumnView.js").ColumnView} view
   */
  constructor(board, root, view) {
    this.#board = board;
    this.#root = root;
    this.#view = view;
  }

  get element() {
    return this.#view.element;
  }

  /** @param {Point} at */
  follow({ x }) {
    const others = this.#board.columns.filter((view) => view !== this.#view);
    this.#before = others.find(({ element }) => {
      const { left, width } = element.getBoundingClientRect();
      return x < left + width / 2;
    });
    const place = this.#before?.element ?? this.#root.querySelector(":scope > .add-column");
    put(this.#mark, this.#root, place);
  }

  /** @param {Point} at */
  scroll({ x }) {
    const across = pull(x, this.#root.getBoundingClientRect(), "left", "right");
    this.#root.scrollLeft += across;
    return across !== 0;
  }

  drop() {
    this.#board.moveColumn(this.#view, this.#before);
  }

  end() {
    this.#mark.remove();
  }
}
