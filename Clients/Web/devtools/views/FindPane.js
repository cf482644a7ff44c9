import { shownName } from "../../parts/avatar.js";
import { pointer } from "../../storecast/wire/JSONPointer.js";
import { clock, element } from "../elements.js";
import { inline } from "./StateTree.js";

/** @typedef {import("../model/types.js").Found} Found */

/**
 * @typedef {object} FindActions
 * @property {(path: string) => void} change  who changed the place last
 * @property {(path: string, condition: { test: string, value?: unknown }) => void} first  since
 *     when it is so
 * @property {() => void} goOn  behind what the last search came to
 * @property {(version: number) => void} look
 */

/** How the tests of the server are said. */
const tests = {
  "=": "is", "!=": "is something else than", "<": "is less than", ">": "is more than",
  exists: "is there", missing: "is missing",
};

/** Two questions about the past: who changed this place, and since when is it so? */
export class FindPane {
  #change = element("input", place);
  #first = element("input", place);
  #test = element(
    "select",
    { "aria-label": "Comparison" },
    ...Object.entries(tests).map(([value, text]) => element("option", { value }, text)),
  );
  #value = element("input", {
    "aria-label": "Value, as JSON", placeholder: "10", spellcheck: "false", autocomplete: "off",
  });
  #hint = element("p", { class: "hint faint" });
  #note = element("p", { class: "problem", role: "alert" });
  #answer = element("div", { class: "answer", role: "status" });
  #actions;

  /**
   * @param {HTMLElement} home
   * @param {FindActions} actions
   */
  constructor(home, actions) {
    this.#actions = actions;
    const ask = () => element("button", { type: "submit" }, "Find");
    const change = element(
      "form",
      { "aria-label": "Who changed this place?" },
      element("h3", {}, "Who changed this place?"),
      element(
        "p", { class: "fields" }, element("label", {}, "Place", this.#change), ask(),
      ),
    );
    const first = element(
      "form",
      { "aria-label": "Since when is it so?" },
      element("h3", {}, "Since when is it so?"),
      element(
        "p", { class: "fields" },
        element("label", {}, "Place", this.#first), this.#test, this.#value, ask(),
      ),
    );
    change.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#note.textContent = "";
      actions.change(this.#change.value.trim());
    });
    first.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#askFirst();
    });
    this.#test.addEventListener("change", () => {
      this.#value.hidden = !this.#needsValue;
    });
    this.#offer(undefined);
    home.append(change, first, this.#hint, this.#note, this.#answer);
  }

  /** Names a place that there is as an example. */
  #offer(/** @type {string | undefined} */ example) {
    for (const input of [this.#change, this.#first]) input.placeholder = example ?? "";
    this.#hint.textContent =
      `A place is a JSON Pointer${example ? `, such as ${example}` : ""}; empty for the whole ` +
      "state. Versions are looked at one by one, up to the one that is shown.";
  }

  /** Asks who changed a place last. */
  ask(/** @type {string} */ path) {
    this.#change.value = path;
    this.#first.value = path;
    this.#note.textContent = "";
    this.#actions.change(path);
  }

  get #needsValue() {
    return this.#test.value !== "exists" && this.#test.value !== "missing";
  }

  #askFirst() {
    this.#note.textContent = "";
    const [path, test] = [this.#first.value.trim(), this.#test.value];
    if (!this.#needsValue) return this.#actions.first(path, { test });
    try {
      this.#actions.first(path, { test, value: JSON.parse(this.#value.value) });
    } catch {
      this.#note.textContent = 'The value isn\'t JSON: 10, "text", true, null.';
    }
  }

  /**
   * @param {{ name: string, params: Record<string, unknown> } | undefined} asked
   * @param {Found | undefined} answer
   * @param {unknown} state  that is shown; undefined while it isn't known
   */
  show(asked, answer, state) {
    this.#offer(examplePlace(state));
    if (!asked) return this.#answer.replaceChildren();
    if (!answer) {
      return this.#answer.replaceChildren(element("p", { class: "faint" }, "Looking…"));
    }
    if (answer.problem) {
      return this.#answer.replaceChildren(element("p", { class: "problem" }, answer.problem));
    }
    this.#answer.replaceChildren(...this.#lines(asked, answer));
  }

  /**
   * @param {{ name: string, params: Record<string, unknown> }} asked
   * @param {Found} answer
   * @returns {Node[]}
   */
  #lines({ name, params }, answer) {
    const { version, dispatch, before, after, isCut } = answer;
    const path = element("code", { class: "path" }, String(params.path) || "the state");
    if (version === null) {
      const what =
        name === "change" ? " wasn't changed" : ` ${condition(params)} at no version`;
      const range = ` between v${answer.from} and v${answer.through}.`;
      const more =
        answer.isBounded &&
        element("button", { onclick: () => this.#actions.goOn() }, "Look further");
      return [element("p", {}, path, what, range, " ", more)];
    }
    const go = element(
      "button", { class: "link", onclick: () => this.#actions.look(version) }, `v${version}`,
    );
    const types = dispatch?.actions.map(({ type }) => type).join(" + ");
    const who = dispatch
      ? ` by ${shownName(dispatch.user)}'s ${types} at ${clock(dispatch.time)}.`
      : ", where the search began.";
    const title =
      name === "change"
        ? element("p", {}, path, " was changed last in ", go, who)
        : element("p", {}, path, ` ${condition(params)} since `, go, who);
    const was = element(
      "div",
      { class: "differences" },
      dispatch !== undefined && element("del", {}, before === undefined ? absent : full(before)),
      element("ins", {}, after === undefined ? absent : full(after)),
    );
    const cut = isCut && element("p", { class: "faint" }, "What is too large isn't shown.");
    return [title, was, ...(cut ? [cut] : [])];
  }
}

const absent = "(nothing)";

/** @param {unknown} value */
const full = (value) => inline(value, 4000);

/** @param {Record<string, unknown>} params */
function condition({ test, value }) {
  const words = tests[/** @type {keyof typeof tests} */ (test)];
  return value === undefined ? words : `${words} ${inline(value)}`;
}

const place = { spellcheck: "false", autocomplete: "off" };
/** A longer one explains nothing. */
const longestExample = 80;

/**
 * A JSON Pointer to the first text, number, boolean or null within a state; undefined if there is
 * none.
 *
 * @param {unknown} state
 * @returns {string | undefined}
 */
export function examplePlace(state) {
  const path = firstScalar(state, "");
  return path && path.length <= longestExample ? path : undefined;
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {string | undefined}
 */
function firstScalar(value, path) {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null) return path;
  for (const name of Object.keys(value)) {
    const found = firstScalar(/** @type {any} */ (value)[name], pointer(path, name));
    if (found !== undefined) return found;
  }
  return undefined;
}
