import { element, rate } from "../elements.js";
import { arrange } from "../../parts/element.js";

/** @typedef {import("../model/types.js").Report} Report */

/** The rooms of the server, one of which is looked into. */
export class RoomList {
  #home;
  #choose;
  /** @type {Map<string, HTMLTableRowElement>} */
  #rows = new Map();
  #body = element("tbody");
  #more = element("p", { class: "faint" });

  /**
   * @param {HTMLElement} home
   * @param {(room: string) => void} choose
   * @param {(room: string) => void} open  one that nobody is in
   */
  constructor(home, choose, open) {
    this.#home = home;
    this.#choose = choose;
    const names = ["room", "version", "in it", "act/s", "msg/s", "lag"];
    const heads = names.map((name) => element("th", { scope: "col" }, name));
    this.#home.append(
      element(
        "table",
        { class: "data" },
        element("thead", {}, element("tr", {}, ...heads)),
        this.#body,
      ),
      this.#more,
      opening(open),
    );
  }

  /**
   * @param {{ rooms: Report[], total: number } | undefined} answer
   * @param {string | undefined} chosen
   */
  show(answer, chosen) {
    if (!answer) return;
    const known = this.#rows;
    this.#rows = new Map();
    for (const report of answer.rooms) {
      const row = known.get(report.room) ?? this.#newRow(report.room);
      this.#rows.set(report.room, row);
      row.toggleAttribute("aria-current", report.room === chosen);
      const cells = [...row.cells].slice(1);
      const { version, clients, actionsPerSecond, messagesPerSecond, lag } = report;
      const texts = [version, clients, rate(actionsPerSecond), rate(messagesPerSecond), lag];
      for (const [index, cell] of cells.entries()) cell.textContent = String(texts[index]);
      row.classList.toggle("warning", lag > 0 || report.waiting > 0 || report.phase !== "ready");
      row.title = `${report.phase}, epoch ${report.epoch}, ${report.waiting} dispatches waiting`;
    }
    arrange(this.#body, [...this.#rows.values()]);
    const hidden = answer.total - answer.rooms.length;
    this.#more.textContent = hidden > 0 ? `and ${hidden} more` : "";
    if (answer.total === 0) {
      this.#more.textContent = "No room is open, as nobody is connected. Open one by its name:";
    }
  }

  /** @param {string} room */
  #newRow(room) {
    const button = element("button", { class: "link", onclick: () => this.#choose(room) }, room);
    const cells = Array.from({ length: 5 }, () => element("td", { class: "number" }));
    return element("tr", {}, element("th", { scope: "row" }, button), ...cells);
  }
}

/**
 * A form for the name of a room that nobody is in.
 *
 * @param {(room: string) => void} open
 */
function opening(open) {
  const name = element("input", {
    "aria-label": "Name of a room", placeholder: "/ or /name", required: true, spellcheck: "false",
    autocomplete: "off",
  });
  const form = element(
    "form",
    { class: "opening" },
    name,
    element("button", { type: "submit" }, "Open"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(name.value.trim());
  });
  return form;
}
