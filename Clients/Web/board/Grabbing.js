/** How far a mouse goes before it drags, and how long a finger stays. */
const distance = 5;
const hold = 300;
/** How near to an edge what is dragged scrolls. */
const edge = 48;

/**
 * What is done with something that can be dragged.
 *
 * @typedef {object} Grabbed
 * @property {HTMLElement} element  is shown at the pointer, too, while it is dragged
 * @property {(at: { x: number, y: number }) => void} follow  the pointer is there
 * @property {(at: { x: number, y: number }) => boolean} scroll  scrolls if the pointer is at an
 *     edge, and tells whether it did; called for each frame
 * @property {() => void} drop  the pointer was let go
 * @property {() => void} end  after a drop, and if it was broken off
 */

/** Dragging with a mouse, a pen or a finger that has been held. */
export class Grabbing {
  /** @type {Grab | undefined} */
  #grab;
  #grabbed;

  /**
   * @param {HTMLElement} root
   * @param {(target: Element) => Grabbed | undefined} grabbed  what a pointer takes there
   */
  constructor(root, grabbed) {
    this.#grabbed = grabbed;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    window.addEventListener("pointermove", (event) => this.#moved(event));
    window.addEventListener("pointerup", (event) => this.#up(event));
    window.addEventListener("pointercancel", () => this.#end());
    // A finger that drags doesn't scroll.
    const still = (/** @type {Event} */ event) => this.#grab?.isLifted && event.preventDefault();
    root.addEventListener("touchmove", still, { passive: false });
    root.addEventListener("contextmenu", still);
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#grab?.isLifted) this.#end();
    });
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { target } = event;
    if (this.#grab || event.button !== 0 || !(target instanceof Element)) return;
    if (target.closest("button, input, textarea, select, a")) return;
    const grabbed = this.#grabbed(target);
    if (!grabbed) return;
    const grab = new Grab(grabbed, event);
    this.#grab = grab;
    if (event.pointerType !== "mouse") {
      grab.timer = setTimeout(() => this.#grab === grab && this.#lift(grab), hold);
    }
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const grab = this.#grab;
    if (!grab || event.pointerId !== grab.pointer) return;
    const way = Math.hypot(event.clientX - grab.start.x, event.clientY - grab.start.y);
    if (!grab.isLifted) {
      if (way < distance) return;
      // A finger that goes at once wants to scroll.
      if (event.pointerType !== "mouse") return this.#end();
      this.#lift(grab);
    }
    grab.at = { x: event.clientX, y: event.clientY };
    grab.follow();
  }

  /** @param {Grab} grab */
  #lift(grab) {
    grab.lift();
    document.documentElement.classList.add("dragging");
    grab.follow();
    this.#scroll(grab);
  }

  /**
   * Scrolls as long as it is held at an edge.
   *
   * @param {Grab} grab
   */
  #scroll(grab) {
    if (this.#grab !== grab) return;
    if (grab.grabbed.scroll(grab.at)) grab.follow();
    requestAnimationFrame(() => this.#scroll(grab));
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const grab = this.#grab;
    if (!grab || event.pointerId !== grab.pointer) return;
    this.#end();
    if (!grab.isLifted) return;
    ignoreClick();
    if (grab.grabbed.element.isConnected) grab.grabbed.drop();
  }

  #end() {
    this.#grab?.end();
    this.#grab = undefined;
    document.documentElement.classList.remove("dragging");
  }
}

/** The click that browsers make of letting go isn't one. */
function ignoreClick() {
  const isOver = new AbortController();
  const { signal } = isOver;
  const ignore = (/** @type {Event} */ event) => event.stopPropagation();
  window.addEventListener("click", ignore, { capture: true, signal });
  window.addEventListener("pointerdown", () => isOver.abort(), { capture: true, signal });
  setTimeout(() => isOver.abort());
}

/** Something in somebody's hand. */
class Grab {
  isLifted = false;
  timer = 0;
  #grip = { x: 0, y: 0 };
  /** @type {HTMLElement | undefined} */
  #ghost;

  /**
   * @param {Grabbed} grabbed
   * @param {PointerEvent} event
   */
  constructor(grabbed, event) {
    this.grabbed = grabbed;
    this.pointer = event.pointerId;
    this.start = { x: event.clientX, y: event.clientY };
    this.at = this.start;
  }

  lift() {
    this.isLifted = true;
    const { element } = this.grabbed;
    const { left, top, width, height } = element.getBoundingClientRect();
    this.#grip = { x: this.start.x - left, y: this.start.y - top };
    const ghost = /** @type {HTMLElement} */ (element.cloneNode(true));
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.removeAttribute("data-card");
    ghost.removeAttribute("data-column");
    ghost.style.width = `${width}px`;
    ghost.style.maxHeight = `${height}px`;
    document.body.append(ghost);
    this.#ghost = ghost;
    element.classList.add("dragged");
  }

  follow() {
    const [x, y] = [this.at.x - this.#grip.x, this.at.y - this.#grip.y];
    if (this.#ghost) this.#ghost.style.transform = `translate(${x}px, ${y}px)`;
    this.grabbed.follow(this.at);
  }

  end() {
    clearTimeout(this.timer);
    this.#ghost?.remove();
    this.grabbed.element.classList.remove("dragged");
    this.grabbed.end();
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
export function pull(at, box, start, end) {
  if (at < box[start] + edge) return -Math.min(14, (box[start] + edge - at) / 3);
  if (at > box[end] - edge) return Math.min(14, (at - box[end] + edge) / 3);
  return 0;
}
