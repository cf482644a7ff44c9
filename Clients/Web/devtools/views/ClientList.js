import { shownName } from "../../parts/avatar.js";
import { shown } from "../../parts/names.js";
import { bytes, element } from "../elements.js";
import { selectionTable } from "./SelectionTable.js";
import { inline } from "./StateTree.js";

/** @typedef {import("../model/types.js").Detail} Detail */

/** Who is in the room, what each is subscribed to, and what that costs. */
export class ClientList {
  #home;

  /** @param {HTMLElement} home */
  constructor(home) {
    this.#home = home;
  }

  /** @param {Detail | undefined} detail */
  show(detail) {
    if (!detail || detail.problem) {
      return this.#home.replaceChildren(element("p", { class: "faint" }, detail?.problem ?? "…"));
    }
    const names = ["user", "participant", "from", "lag", "in", "out", "subscriptions"];
    const heads = names.map((name) => element("th", { scope: "col" }, name));
    const rows = detail.clients.map((client) => {
      const views = client.subscriptions.map(({ selection, parameters, lag }) => {
        const text = `${selection}${isEmpty(parameters) ? "" : ` ${inline(parameters, 60)}`}`;
        return element("span", { class: lag > 0 ? "view warning" : "view" }, text);
      });
      const cells = [
        [shown(client.participant.slice(0, 8))], [client.address], [String(client.lag)],
        [bytes(client.traffic.received.bytes)], [bytes(client.traffic.sent.bytes)], views,
      ].map((content) => element("td", {}, ...content));
      const roles = client.roles.length > 0 ? ` (${client.roles.map(shown).join(", ")})` : "";
      const user = element("th", { scope: "row" }, shownName(client.user) + roles);
      return element("tr", {}, user, ...cells);
    });
    const hidden = detail.count - detail.clients.length;
    this.#home.replaceChildren(
      element(
        "table",
        { class: "data" },
        element("thead", {}, element("tr", {}, ...heads)),
        element("tbody", {}, ...rows),
      ),
      hidden > 0 ? element("p", { class: "faint" }, `and ${hidden} more`) : "",
      selectionTable(detail.selections),
    );
  }
}

/** @param {unknown} parameters */
function isEmpty(parameters) {
  return parameters === null || inline(parameters) === "{}";
}
