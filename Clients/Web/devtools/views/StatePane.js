import { element } from "../elements.js";
import { inline, StateTree } from "./StateTree.js";

/** @typedef {import("../model/differences.js").Difference} Difference */
/** @typedef {import("../model/TimeTravel.js").Shown} Shown */

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
   * @param {Shown | { problem: string } | undefined} shown  undefined while it isn't known
   * @param {readonly number[]} skipped
   */
  show(shown, skipped) {
    this.#body.classList.toggle("stale", shown === undefined);
    if (!shown) {
      this.#title.textContent = "…";
    } else if ("problem" in shown) {
      this.#title.textContent = shown.problem;
      this.#body.replaceChildren();
    } else {
      this.#title.textContent = title(shown, skipped);
      this.#tree.show(shown.state, shown.changes);
    }
  }
}

/**
 * @param {Shown} shown
 * @param {readonly number[]} skipped
 */
function title({ version, since, changes, affected }, skipped) {
  if (skipped.length === 0) return `v${version}: ${places(changes)} changed since v${since}`;
  const missing = skipped.map((skip) => `v${skip}`).join(", ");
  const rest = `otherwise in ${places(changes)}; other outcomes: ${affected}`;
  return `v${version} without ${missing}: ${rest}`;
}

/** @param {readonly unknown[]} changes */
export function places({ length }) {
  return length === 1 ? "1 place" : `${length} places`;
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
