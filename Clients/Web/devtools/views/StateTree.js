import { pointer } from "../../storecast/wire/JSONPointer.js";
import { element } from "../elements.js";

/** @typedef {import("../model/differences.js").Difference} Difference */

const mostChildren = 200;
/** Where more has changed at once, what has changed isn't opened by itself. */
const mostOpened = 50;

/** A JSON value as a tree that opens and closes, with what has changed in it marked. */
export class StateTree {
  #home;
  #name;
  #asks;
  /**
   * What was opened or closed by hand, by its pointer.
   *
   * @type {Map<string, boolean>}
   */
  #choices = new Map();
  /** @type {Map<string, Difference>} */
  #changes = new Map();
  /** @type {Map<string, Difference[]>} */
  #removed = new Map();
  /** @type {Set<string>} */
  #touched = new Set();
  #opensTouched = true;

  /**
   * @param {HTMLElement} home
   * @param {string} name  of the whole
   * @param {(path: string) => void} [who]  asks who changed the place with this pointer
   */
  constructor(home, name, who) {
    this.#home = home;
    this.#name = name;
    home.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button[data-path]");
      if (!button) return;
      // In a summary it would close it, too.
      event.preventDefault();
      who?.(button.getAttribute("data-path") ?? "");
    });
    this.#asks = who !== undefined;
  }

  /**
   * The button that asks who changed a place.
   *
   * @param {string} path
   */
  #who(path) {
    const label = `Who changed ${path || "the state"} last`;
    return (
      this.#asks &&
      element("button", { class: "who", "data-path": path, "aria-label": label }, "who?")
    );
  }

  /**
   * @param {unknown} value
   * @param {readonly Difference[]} changes  those that led to the value
   */
  show(value, changes) {
    this.#changes = new Map();
    this.#removed = new Map();
    this.#touched = new Set();
    this.#opensTouched = changes.length <= mostOpened;
    for (const change of changes) {
      if (change.kind === "removed") {
        this.#removed.set(change.parent, [...(this.#removed.get(change.parent) ?? []), change]);
        this.#touch(`${change.parent}/`);
      } else {
        this.#changes.set(change.path, change);
        this.#touch(change.path);
      }
    }
    const scroll = this.#home.scrollTop;
    this.#home.replaceChildren(this.#node("", this.#name, value, 0));
    this.#home.scrollTop = scroll;
  }

  /** @param {string} path */
  #touch(path) {
    for (let end = path.lastIndexOf("/"); end >= 0; end = path.lastIndexOf("/", end - 1)) {
      this.#touched.add(path.slice(0, end));
      if (end === 0) break;
    }
  }

  /**
   * @param {string} path
   * @param {string} name
   * @param {unknown} value
   * @param {number} depth
   * @returns {HTMLElement}
   */
  #node(path, name, value, depth) {
    const change = this.#changes.get(path);
    const label = element("span", { class: "name" }, name);
    if (typeof value !== "object" || value === null) {
      const was = change?.kind === "changed" && element("s", {}, inline(change.before));
      const marks = { class: `leaf ${change?.kind ?? ""}` };
      return element("div", marks, label, ": ", was && was, scalar(value), this.#who(path));
    }
    const count = Array.isArray(value) ? value.length : Object.keys(value).length;
    const isTouched = this.#touched.has(path);
    const opensByItself = (isTouched && this.#opensTouched) || (depth < 2 && count <= 50);
    const isOpen = this.#choices.get(path) ?? opensByItself;
    const summary = Array.isArray(value) ? `[${count}]` : `{${count}}`;
    const hint = element("span", { class: "faint" }, summary, " ", isOpen ? "" : inline(value));
    const details = element(
      "details",
      { open: isOpen, class: `${change?.kind ?? ""} ${isTouched ? "touched" : ""}` },
      element("summary", {}, label, " ", hint, this.#who(path)),
    );
    if (isOpen) details.append(...this.#children(path, value, depth));
    details.addEventListener("toggle", () => {
      if (details.open === (this.#choices.get(path) ?? isOpen)) return;
      this.#choices.set(path, details.open);
      if (details.open && details.childElementCount === 1) {
        details.append(...this.#children(path, value, depth));
      }
    });
    return details;
  }

  /**
   * @param {string} path
   * @param {object} value
   * @param {number} depth
   */
  #children(path, value, depth) {
    const members = Object.entries(value);
    const nodes = members
      .slice(0, mostChildren)
      .map(([name, member]) => this.#node(pointer(path, name), name, member, depth + 1));
    if (members.length > mostChildren) {
      const rest = members.length - mostChildren;
      nodes.push(element("div", { class: "leaf faint" }, `and ${rest} more`));
    }
    for (const { path: old, before } of this.#removed.get(path) ?? []) {
      const name = old.slice(old.lastIndexOf("/") + 1);
      const label = element("span", { class: "name" }, name);
      const was = element("s", {}, inline(before));
      nodes.push(element("div", { class: "leaf removed" }, label, ": ", was));
    }
    return nodes;
  }
}

/** @param {unknown} value */
function scalar(value) {
  return element("span", { class: value === null ? "null" : typeof value }, inline(value, 4000));
}

/**
 * @param {unknown} value
 * @param {number} [longest]
 */
export function inline(value, longest = 120) {
  const text = JSON.stringify(value) ?? "";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
