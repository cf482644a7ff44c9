import { shownName } from "../../parts/avatar.js";
import { shown } from "../../parts/names.js";
import { bytes, duration, element } from "../elements.js";
import { inline } from "./StateTree.js";

/** @typedef {import("../model/types.js").Detail} Detail */

/** Who is in the room, how far behind each is, and what each is subscribed to. */
export class ClientList {
  #home;

  /** @param {HTMLElement} home */
  constructor(home) {
    this.#home = home;
  }

  /** @param {Detail | undefined} detail */
  show(detail) {
    if (!detail || detail.problem) {
      const text = detail?.problem ?? "…";
      return this.#home.replaceChildren(element("p", { class: "hint faint" }, text));
    }
    const names = ["user", "participant", "from", "lag", "clock", "heard", "in", "out"];
    const heads = names.map((name) => element("th", { scope: "col" }, name));
    const rows = detail.clients.flatMap((client) => {
      const views = client.subscriptions.map(({ selection, parameters, lag }) => {
        const text = `${selection}${isEmpty(parameters) ? "" : ` ${inline(parameters, 60)}`}`;
        return element("span", { class: lag > 0 ? "view warning" : "view" }, text);
      });
      const cells = [
        [shown(client.participant.slice(0, 8))], [client.address], [String(client.lag)],
        [clockOf(client)], [client.silence === undefined ? "" : `${client.silence} s ago`],
        [bytes(client.traffic.received.bytes)], [bytes(client.traffic.sent.bytes)],
      ].map((content) => element("td", {}, ...content));
      const roles = client.roles.length > 0 ? ` (${client.roles.map(shown).join(", ")})` : "";
      const user = element("th", { scope: "row" }, shownName(client.user) + roles);
      const follows = element("td", { class: "views", colspan: names.length }, ...views);
      return [element("tr", {}, user, ...cells), element("tr", {}, follows)];
    });
    const hidden = detail.count - detail.clients.length;
    const hint =
      "Lag: versions that a client hasn't been sent. Clock: the version that it knew when it " +
      "last dispatched something, and for how long that had been an old one.";
    this.#home.replaceChildren(
      element(
        "div",
        { class: "wide", tabindex: "0" },
        element(
          "table",
          { class: "data" },
          element("thead", {}, element("tr", {}, ...heads)),
          element("tbody", {}, ...rows),
        ),
      ),
      hidden > 0 ? element("p", { class: "hint faint" }, `and ${hidden} more`) : "",
      element(
        "p", { class: "hint faint" }, detail.count === 0 ? "Nobody is in the room." : hint,
      ),
    );
  }
}

/** @param {import("../model/types.js").Client} client */
function clockOf({ knew, knewLate }) {
  if (knew === undefined) return "";
  if (knewLate === undefined) return `v${knew}, old`;
  if (knewLate === 0) return `v${knew}`;
  return `v${knew}, ${knewLate < 1000 ? `${knewLate} ms` : duration(knewLate * 1000)} old`;
}

/** @param {unknown} parameters */
function isEmpty(parameters) {
  return parameters === null || inline(parameters) === "{}";
}
