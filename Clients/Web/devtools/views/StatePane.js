import { element } from "../elements.js";
import { inline, StateTree } from "./StateTree.js";

/** @typedef {import("../model/differences.js").Difference} Difference */

/** A state, with a line above it that says which it is and what the marks mean. */
export class StatePane {
  #title = element("p", { class: "bar title", role: "status" });
  #body = element("div", { class: "tree" });
  #tree = new StateTree(this.#body, "state");

  /** @param {HTMLElement} home */
  constructor(home) {
    home.append(this.#title, this.#body);
  }

  /**
   * @param {string} title
   * @param {unknown} state
   * @param {readonly Difference[]} changes
   */
  show(title, state, changes) {
    this.#title.textContent = title;
    this.#body.classList.remove("stale");
    this.#tree.show(state, changes);
  }

  /**
   * There is no state to show, now or at all.
   *
   * @param {string} title
   * @param {boolean} isWaiting
   */
  say(title, isWaiting) {
    this.#title.textContent = title;
    if (isWaiting) this.#body.classList.add("stale");
    else this.#body.replaceChildren();
  }
}

/**
 * What differs, as a list.
 *
 * @param {HTMLElement} home
 * @param {string} title
 * @param {readonly Difference[]} changes
 */
export function showDifferences(home, title, changes) {
  const rows = changes.map(({ kind, path, before, after }) =>
    element(
      "li",
      { class: kind },
      element("code", { class: "path" }, path || "(the whole)"),
      kind === "moved" && element("span", { class: "faint" }, "moved"),
      before !== undefined && element("del", {}, inline(before, 300)),
      after !== undefined && element("ins", {}, inline(after, 300)),
    ),
  );
  home.replaceChildren(
    element("p", { class: "bar title", role: "status" }, title),
    element("ol", { class: "differences" }, ...rows),
  );
}
