import { bytes, clock, duration, element } from "../elements.js";
import { selectionTable } from "./SelectionTable.js";

/** @typedef {import("../model/types.js").Detail} Detail */
/** @typedef {import("../model/types.js").DispatchCost} DispatchCost */
/** @typedef {import("../model/types.js").Turn} Turn */
/** @typedef {import("../model/types.js").Turns} Turns */

/** What a turn does, in the order in which it does it. */
const steps = /** @type {const} */ ([
  ["reduce", "reduce"], ["select", "selections"], ["encode", "encode"], ["write", "write"],
]);
const [width, height] = [600, 90];

/** What the room's dispatches and selections cost, and how long turns of its loop took. */
export class CostPane {
  #strip = drawn("svg", {
    class: "strip", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
  });
  #scale = element("span", { class: "faint" });
  #slowest = element("div");
  #tables = element("div");
  /** @type {Turns | undefined} */
  #turns;
  /** @type {Detail | undefined} */
  #detail;

  /** @param {HTMLElement} home */
  constructor(home) {
    const legend = steps.map(([step, name]) => element("span", { class: `key ${step}` }, name));
    const space = element("span", { class: "space" });
    home.append(
      element("h3", {}, "Turns"),
      element(
        "p",
        { class: "hint faint" },
        "In a turn, what came is reduced, selections are asked for what changed, and each " +
          "connection is sent that. The loop's last 100 turns, the newest on the right.",
      ),
      this.#strip,
      element("p", { class: "legend" }, ...legend, space, this.#scale),
      this.#slowest,
      this.#tables,
    );
  }

  /**
   * @param {Turns | undefined} turns
   * @param {Detail | undefined} detail
   */
  show(turns, detail) {
    if (turns && turns !== this.#turns && !turns.problem) this.#showTurns((this.#turns = turns));
    if (!detail || detail === this.#detail) return;
    this.#detail = detail;
    if (detail.problem) {
      return this.#tables.replaceChildren(element("p", { class: "hint" }, detail.problem));
    }
    this.#tables.replaceChildren(
      element("h3", {}, "Dispatches, since somebody looks"),
      scrolling(dispatchTable(detail.dispatches)),
      element("h3", {}, "Selections, since the room was opened"),
      scrolling(selectionTable(detail.selections)),
    );
  }

  /** @param {Turns} turns */
  #showTurns({ count, turns, slowest }) {
    const longest = Math.max(...turns.map(total), 1);
    const bar = width / 100;
    this.#strip.replaceChildren(
      ...turns.flatMap((turn, place) => {
        let top = height;
        return steps.map(([step]) => {
          const size = (turn[step] / longest) * (height - 2);
          top -= size;
          return drawn("rect", {
            class: step, x: String(width - (turns.length - place) * bar), y: top.toFixed(1),
            width: String(bar - 1), height: size.toFixed(1),
          });
        });
      }),
    );
    this.#scale.textContent =
      turns.length === 0 ? "No turn yet: nothing has happened." : `longest ${duration(longest)}`;
    this.#strip.setAttribute(
      "aria-label", `${turns.length} of ${count} turns, the longest of ${duration(longest)}`,
    );
    this.#slowest.replaceChildren(
      slowest.length > 0 ? scrolling(turnTable(slowest)) : "",
    );
  }
}

/** @param {Turn} turn */
function total(turn) {
  return steps.reduce((sum, [step]) => sum + turn[step], 0);
}

/** @param {Turn[]} turns */
function turnTable(turns) {
  const heads = ["slowest turns", "all", "longest", ...steps.map(([, name]) => name), "dispatches",
    "messages"];
  return table(heads, turns.map((turn) => [
    clock(turn.time), duration(total(turn)), turn.longest ? `${turn.longest} in ${turn.room}` : "",
    ...steps.map(([step]) => duration(turn[step])), String(turn.dispatches), String(turn.messages),
  ]));
}

/** @param {DispatchCost[]} costs */
function dispatchTable(costs) {
  if (costs.length === 0) return element("p", { class: "hint faint" }, "None yet.");
  const rows = [...costs]
    .sort((one, other) => other.share - one.share)
    .map(({ type, count, rejected, bytes: size, microseconds, share }) => [
      type || "(swallowed by middleware)", String(count), String(rejected), bytes(size),
      duration(microseconds), `${Math.round(share * 100)} %`,
    ]);
  return table(["dispatch", "count", "rejected", "bytes", "each", "time"], rows);
}

/**
 * @param {string[]} heads
 * @param {string[][]} rows  each with its name first
 */
function table(heads, rows) {
  return element(
    "table",
    { class: "data" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...heads.map((head, place) =>
          element("th", { scope: "col", class: place > 0 && "number" }, head),
        ),
      ),
    ),
    element(
      "tbody",
      {},
      ...rows.map(([name, ...cells]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          ...cells.map((cell) => element("td", { class: "number" }, cell)),
        ),
      ),
    ),
  );
}

/** @param {HTMLElement} content  wider than the pane, perhaps */
function scrolling(content) {
  return element("div", { class: "wide", tabindex: "0" }, content);
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
