/** Cards that change places, shown as a movement from the old place to the new one. */
export class Rearrangement {
  /** @type {Map<import("./CardView.js").CardView, DOMRect>} */
  #places = new Map();
  #focused = document.activeElement;

  /** @param {Map<string, import("./CardView.js").CardView>} views  before anything moves */
  constructor(views) {
    // More than anybody could follow with their eyes are just put there.
    if (views.size > 400 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const view of views.values()) {
      if (view.element.isConnected) this.#places.set(view, view.element.getBoundingClientRect());
    }
  }

  /** Everything is where it belongs. */
  show() {
    for (const [{ element }, old] of this.#places) {
      if (!element.isConnected || element.classList.contains("dragged")) continue;
      const now = element.getBoundingClientRect();
      const [x, y] = [old.left - now.left, old.top - now.top];
      if (Math.abs(x) + Math.abs(y) < 2) continue;
      const from = { transform: `translate(${x}px, ${y}px)` };
      element.animate([from, { transform: "none" }], { duration: 180, easing: "ease-out" });
    }
    // An element that is put elsewhere loses the focus.
    if (document.activeElement === document.body && this.#focused?.isConnected) {
      /** @type {HTMLElement} */ (this.#focused).focus({ preventScroll: true });
    }
  }
}
