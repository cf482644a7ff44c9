import { element } from "../parts/element.js";

/** How far a mouse goes before it drags, and how long a finger stays. */
const distance = 5;
const hold = 300;
/** How near to an edge a dragged card scrolls. */
const edge = 48;

/** Dragging cards with a mouse, a pen or a finger. */
export class Dragging {
  #board;
  #root;
  /** @type {Drag | undefined} */
  #drag;

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLElement} root
   */
  constructor(board, root) {
    this.#board = board;
    this.#root = root;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    window.addEventListener("pointermove", (event) => this.#moved(event));
    window.addEventListener("pointerup", (event) => this.#up(event));
    window.addEventListener("pointercancel", () => this.#end());
    // A finger that drags doesn't scroll.
    const still = (/** @type {Event} */ event) => this.#drag?.isLifted && event.preventDefault();
    root.addEventListener("touchmove", still, { passive: false });
    root.addEventListener("contextmenu", still);
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#drag?.isLifted) this.#end();
    });
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { target } = event;
    if (this.#drag || event.button !== 0 || !(target instanceof Element)) return;
    const card = target.closest(".card");
    const view = this.#board.views.get(card?.getAttribute("data-card") ?? "");
    if (!view || target.closest("button, textarea")) return;
    const drag = new Drag(view, event);
    this.#drag = drag;
    if (event.pointerType !== "mouse") {
      drag.timer = setTimeout(() => this.#drag === drag && this.#lift(drag), hold);
    }
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const way = Math.hypot(event.clientX - drag.start.x, event.clientY - drag.start.y);
    if (!drag.isLifted) {
      if (way < distance) return;
      // A finger that goes at once wants to scroll.
      if (event.pointerType !== "mouse") return this.#end();
      this.#lift(drag);
    }
    drag.at = { x: event.clientX, y: event.clientY };
    this.#follow(drag);
  }

  /** @param {Drag} drag */
  #lift(drag) {
    drag.lift();
    document.documentElement.classList.add("dragging");
    this.#follow(drag);
    this.#scroll(drag);
  }

  /** @param {Drag} drag */
  #follow(drag) {
    drag.placeGhost();
    const column = this.#board.columns.find(({ element }) => {
      const { left, right } = element.getBoundingClientRect();
      return drag.at.x >= left && drag.at.x < right;
    });
    drag.target = column;
    if (!column) return drag.mark.remove();
    const cards = [...column.list.querySelectorAll(".card:not(.dragged)")];
    const next = cards.find((card) => {
      const { top, height } = card.getBoundingClientRect();
      return drag.at.y < top + height / 2;
    });
    drag.before = next?.getAttribute("data-card") ?? undefined;
    const place = next ?? null;
    if (drag.mark.parentElement !== column.list || drag.mark.nextElementSibling !== place) {
      column.list.insertBefore(drag.mark, place);
    }
  }

  /**
   * Scrolls as long as the card is held at an edge.
   *
   * @param {Drag} drag
   */
  #scroll(drag) {
    if (this.#drag !== drag) return;
    const across = pull(drag.at.x, this.#root.getBoundingClientRect(), "left", "right");
    this.#root.scrollLeft += across;
    const list = drag.target?.list;
    const down = list ? pull(drag.at.y, list.getBoundingClientRect(), "top", "bottom") : 0;
    if (list) list.scrollTop += down;
    if (across || down) this.#follow(drag);
    requestAnimationFrame(() => this.#scroll(drag));
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.#end();
    if (!drag.isLifted || !drag.target || !drag.view.element.isConnected) return;
    this.#board.move(drag.view, drag.target, drag.before);
  }

  #end() {
    this.#drag?.drop();
    this.#drag = undefined;
    document.documentElement.classList.remove("dragging");
  }
}

/** One card in somebody's hand. */
class Drag {
  isLifted = false;
  timer = 0;
  /** @type {import("./ColumnView.js").ColumnView | undefined} */
  target;
  /** @type {string | undefined} */
  before;
  mark = element("li", { class: "place", "aria-hidden": "true" });
  #grip = { x: 0, y: 0 };
  #ghost = element("li");

  /**
   * @param {import("./CardView.js").CardView} view
   * @param {PointerEvent} event
   */
  constructor(view, event) {
    this.view = view;
    this.pointer = event.pointerId;
    this.start = { x: event.clientX, y: event.clientY };
    this.at = this.start;
  }

  lift() {
    this.isLifted = true;
    const card = this.view.element;
    const { left, top, width } = card.getBoundingClientRect();
    this.#grip = { x: this.start.x - left, y: this.start.y - top };
    const ghost = /** @type {HTMLElement} */ (card.cloneNode(true));
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.removeAttribute("data-card");
    ghost.style.width = `${width}px`;
    document.body.append(ghost);
    this.#ghost = ghost;
    card.classList.add("dragged");
  }

  placeGhost() {
    const [x, y] = [this.at.x - this.#grip.x, this.at.y - this.#grip.y];
    this.#ghost.style.transform = `translate(${x}px, ${y}px)`;
  }

  drop() {
    clearTimeout(this.timer);
    this.#ghost.remove();
    this.mark.remove();
    this.view.element.classList.remove("dragged");
  }
}

/**
 * How many pixels to scroll for a pointer near an edge.
 *
 * @param {number} at
 * @param {DOMRect} box
 * @param {"left" | "top"} start
 * @param {"right" | "bottom"} end
 */
function pull(at, box, start, end) {
  if (at < box[start] + edge) return -Math.min(14, (box[start] + edge - at) / 3);
  if (at > box[end] - edge) return Math.min(14, (at - box[end] + edge) / 3);
  return 0;
}
