import { shownName } from "../../parts/avatar.js";
import { clock, element } from "../elements.js";
import { arrange, set } from "../../parts/element.js";
import { DispatchLog } from "../model/DispatchLog.js";

/** @typedef {import("../model/types.js").Dispatch} Dispatch */

/**
 * @typedef {object} LogActions
 * @property {(dispatch: Dispatch) => void} look  shows it, and the state behind it
 * @property {(dispatch: Dispatch) => void} skip  leaves it out, or no longer
 * @property {() => void} older
 * @property {() => void} exportLog
 * @property {() => void} copyTest  code that dispatches the same up to here
 * @property {(file: File) => void} importLog
 * @property {() => void} closeImport
 * @property {() => void} changed  the filter or the pause
 */

/** The dispatches of a room: a list to go through with the arrow keys. */
export class LogView {
  #actions;
  /** @type {Map<string, HTMLElement>} */
  #rows = new Map();
  /** @type {readonly Dispatch[]} */
  #shown = [];
  #list = element("ol", { role: "listbox", tabindex: "0", "aria-label": "Dispatches" });
  #filter = element("input", {
    type: "search", placeholder: "Filter: type, user or payload", "aria-label": "Filter the log",
  });
  #pause = element("input", { type: "checkbox" });
  #count = element("span", { class: "faint", role: "status" });
  #older = element("button", {}, "Older");
  #banner = element("p", { class: "banner", hidden: true });
  /** @type {Dispatch | undefined} */
  #selected;

  /**
   * @param {HTMLElement} home
   * @param {LogActions} actions
   */
  constructor(home, actions) {
    this.#actions = actions;
    const file = element("input", { type: "file", accept: ".jsonl,.json,.txt", hidden: true });
    file.addEventListener("change", () => {
      if (file.files?.[0]) actions.importLog(file.files[0]);
      file.value = "";
    });
    this.#filter.addEventListener("input", () => actions.changed());
    this.#pause.addEventListener("change", () => actions.changed());
    this.#older.addEventListener("click", () => actions.older());
    this.#list.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    home.append(
      element("div", { class: "bar" }, element("h2", {}, "Log"), this.#filter, this.#count),
      element(
        "div",
        { class: "bar" },
        element("label", {}, this.#pause, "Pause"),
        this.#older,
        element("span", { class: "space" }),
        element(
          "button",
          {
            onclick: () => actions.copyTest(),
            title: "Swift code that dispatches the same into a TestRoom, up to what is shown",
          },
          "Copy as test",
        ),
        element("button", { onclick: () => actions.exportLog() }, "Export"),
        element("button", { onclick: () => file.click() }, "Import"),
        file,
      ),
      this.#banner,
      this.#list,
    );
  }

  get isPaused() {
    return this.#pause.checked;
  }

  get filter() {
    return this.#filter.value.trim().toLowerCase();
  }

  focusFilter() {
    this.#filter.focus();
  }

  /** @param {string | undefined} name  of the file that the log is from */
  setImported(name) {
    this.#banner.hidden = !name;
    this.#older.disabled = Boolean(name);
    this.#pause.disabled = Boolean(name);
    this.#banner.replaceChildren(
      `From ${name}. `,
      element("button", { onclick: () => this.#actions.closeImport() }, "Back to the room"),
    );
  }

  /**
   * @param {readonly Dispatch[]} entries
   * @param {{ version: number | undefined, skipped: readonly number[],
   *     chosen: Dispatch | undefined }} looking
   */
  show(entries, { version, skipped, chosen }) {
    const filter = this.filter;
    const shown = filter ? entries.filter((entry) => matches(entry, filter)) : entries;
    const isAtEnd = this.#isAtEnd;
    const known = this.#rows;
    this.#rows = new Map();
    for (const entry of shown) {
      const row = known.get(rowKey(entry)) ?? newRow(entry);
      this.#rows.set(rowKey(entry), row);
      const isSelected = chosen && DispatchLog.key(chosen) === DispatchLog.key(entry);
      set(row, "aria-selected", String(isSelected ?? false));
      row.classList.toggle("skipped", !entry.rejection && skipped.includes(entry.version));
      row.classList.toggle("later", version !== undefined && entry.version > version);
    }
    const key = chosen && DispatchLog.key(chosen);
    this.#selected = shown.find((entry) => DispatchLog.key(entry) === key);
    this.#shown = shown;
    arrange(this.#list, [...this.#rows.values()]);
    const selected = this.#list.querySelector("[aria-selected=true]");
    if (selected) this.#list.setAttribute("aria-activedescendant", selected.id);
    else this.#list.removeAttribute("aria-activedescendant");
    const count = shown.length === entries.length ? "" : `${shown.length} of `;
    this.#count.textContent = `${count}${entries.length}`;
    if (isAtEnd && version === undefined) this.#list.scrollTop = this.#list.scrollHeight;
    else selected?.scrollIntoView({ block: "nearest" });
  }

  get #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#list;
    return scrollHeight - scrollTop - clientHeight < 24;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };
    const { length } = this.#shown;
    const at = this.#selected ? this.#shown.indexOf(this.#selected) : length;
    /** @type {number | undefined} */
    let next;
    if (event.key in steps) next = at + steps[/** @type {keyof typeof steps} */ (event.key)];
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = length - 1;
    if (next !== undefined) {
      event.preventDefault();
      const entry = this.#shown[Math.max(0, Math.min(next, length - 1))];
      if (entry) this.#actions.look(entry);
    }
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const target = /** @type {Element} */ (event.target);
    const row = target.closest("li");
    const entry = this.#shown.find((entry) => this.#rows.get(rowKey(entry)) === row);
    if (!entry) return;
    if (target.closest("button")) this.#actions.skip(entry);
    else this.#actions.look(entry);
  }
}

let rows = 0;

/**
 * Of an imported log it is known only later what was rejected, and so which versions there were.
 *
 * @param {Dispatch} entry
 */
function rowKey(entry) {
  return `${DispatchLog.key(entry)} ${entry.version} ${entry.rejection ?? ""}`;
}

/** @param {Dispatch} entry */
function newRow(entry) {
  rows += 1;
  const names = entry.actions.map(({ type }) => type).join(" + ") || "no action";
  const payload = entry.actions.map(excerpt).join(" ");
  const version = entry.rejection ? "✕" : String(entry.version);
  return element(
    "li",
    { role: "option", id: `row-${rows}`, class: entry.rejection ? "rejected" : undefined },
    element("span", { class: "number" }, version),
    element("time", {}, clock(entry.time)),
    element("b", {}, names),
    element("span", { class: "user" }, shownName(entry.user)),
    element("code", { title: payload }, entry.rejection ?? payload),
    !entry.rejection &&
      element("button", { tabindex: "-1", "aria-label": `Skip version ${entry.version}` }, "skip"),
  );
}

/** @param {import("../model/types.js").LoggedAction} action */
function excerpt({ payload, excerpt }) {
  return excerpt === undefined ? JSON.stringify(payload ?? {}) : `${excerpt}…`;
}

/**
 * @param {Dispatch} entry
 * @param {string} filter
 */
function matches(entry, filter) {
  return (
    entry.user.toLowerCase().includes(filter) ||
    entry.actions.some(
      (action) => `${action.type} ${excerpt(action)}`.toLowerCase().includes(filter),
    )
  );
}
