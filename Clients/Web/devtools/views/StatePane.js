import { element } from "../elements.js";
import { inline, StateTree } from "./StateTree.js";

/** @typedef {import("../model/differences.js").Difference} Difference */
/** @typedef {import("../model/TimeTravel.js").Shown} Shown */

/** A state, with a line above it that says which it is and what the marks mean. */
export class StatePane {
  #title = element("p", { class: "bar title", role: "status" });
  #body = element("div", { class: "tree" });
  #tree;
  #text = element("span");
  #open = element("button", { hidden: true }, "Open it from its journal");

  /**
   * @param {HTMLElement} home
   * @param {{ open: () => void, who: (path: string) => void }} actions  `open`: a room that nobody
   *     is in; `who`: asks who changed a place last
   */
  constructor(home, { open, who }) {
    this.#tree = new StateTree(this.#body, "state", who);
    this.#open.addEventListener("click", open);
    this.#title.append(this.#text, this.#open);
    home.append(this.#title, this.#body);
  }

  /**
   * @param {Shown | { problem: string } | undefined} shown  undefined while it isn't known
   * @param {{ skipped: readonly number[], isNow: boolean }} looking
   */
  show(shown, looking) {
    this.#body.classList.toggle("stale", shown === undefined);
    this.#open.hidden = !(shown && "problem" in shown && shown.problem.includes("isn't open"));
    if (!shown) {
      this.#text.textContent = "…";
    } else if ("problem" in shown) {
      this.#text.textContent = shown.problem;
      this.#body.replaceChildren();
    } else {
      this.#text.textContent = stateTitle(shown, looking);
      this.#tree.show(shown.state, shown.changes);
    }
  }
}

/**
 * Which state it is, and what the marks in it mean.
 *
 * @param {Shown} shown
 * @param {{ skipped: readonly number[], isNow: boolean }} looking
 */
export function stateTitle({ version, since, changes, affected }, { skipped, isNow }) {
  const missing = skipped.filter((skip) => skip <= version);
  if (missing.length > 0) {
    const names = list(missing.map((skip) => `v${skip}`));
    const others =
      affected === 0
        ? "Every other dispatch ends as it did."
        : `${affected} other ${affected === 1 ? "dispatch ends" : "dispatches end"} otherwise: ` +
          "accepted, or rejected.";
    const difference =
      changes.length === 0 ? "Nothing differs from" : `${places(changes)} differ from`;
    return `v${version}, had ${names} never happened. ${agree(difference)} what is real. ${others}`;
  }
  const name = isNow ? `Now, v${version}` : `v${version}`;
  if (version === 0) return `${name}: the beginning, before any dispatch.`;
  if (since === version) return `${name}. What changes from here on is marked.`;
  const what = changes.length === 0 ? "nothing" : places(changes);
  return since === version - 1
    ? `${name}: this dispatch changed ${what}.`
    : `${name}: ${what} changed since v${since}.`;
}

/** @param {string} text */
const agree = (text) => text.replace(/^1 place differ /, "1 place differs ");

/** @param {string[]} names */
function list(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
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
