import { bytes, duration, element } from "../elements.js";

/** @typedef {import("../model/types.js").SelectionCost} SelectionCost */

/**
 * What the selections of a room have cost since it was opened, those first that took the most time.
 * Closures that take much of it, as they are run after each turn, stand out.
 *
 * @param {SelectionCost[]} costs
 */
export function selectionTable(costs) {
  const names = ["selection", "kept by", "in use", "asked", "changed", "bytes", "each", "time"];
  const heads = names.map((name, place) =>
    element("th", { scope: "col", class: place > 1 && "number" }, name),
  );
  const rows = [...costs]
    .sort((one, other) => other.share - one.share)
    .map((cost) => {
      const texts = [
        cost.way, cost.groups, cost.evaluations, cost.changes, bytes(cost.bytes),
        duration(cost.microseconds), `${Math.round(cost.share * 100)} %`,
      ];
      const cells = texts.map((text, place) =>
        element("td", { class: place > 0 && "number" }, String(text)),
      );
      const isScanning = cost.way === "closure" && cost.share >= 0.1;
      return element(
        "tr",
        { class: isScanning && "warning" },
        element("th", { scope: "row" }, cost.selection),
        ...cells,
      );
    });
  return element(
    "table",
    { class: "data" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}
