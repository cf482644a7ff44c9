import { shown } from "../../parts/names.js";
import { element } from "../elements.js";

/** @typedef {import("../model/types.js").Cluster} Cluster */

/** The servers that share rooms with the one that is looked at, and which of them has which. */
export class ClusterTable {
  #home;
  #servers = element("tbody");
  #rooms = element("tbody");
  #note = element("p", { class: "faint" });

  /** @param {HTMLElement} home  hidden until a cluster is shown */
  constructor(home) {
    this.#home = home;
    this.#home.append(
      element("h2", {}, "Cluster"),
      table(["server", "address", "rooms", ""], this.#servers),
      element(
        "details",
        {},
        element("summary", {}, "Which room is where"),
        table(["room", "server"], this.#rooms),
        this.#note,
      ),
    );
  }

  /** @param {Cluster | undefined} cluster */
  show(cluster) {
    if (!cluster) return;
    // What was shown before stays: it is asked again.
    if (cluster.problem !== undefined) return void (this.#note.textContent = cluster.problem);
    this.#home.hidden = false;
    this.#servers.replaceChildren(
      ...cluster.servers.map(({ id, address, rooms, isDrained, isOwn }) => {
        const notes = [isOwn && "this one", isDrained && "drained"].filter(Boolean);
        return element(
          "tr",
          { class: isDrained && "warning" },
          element("th", { scope: "row" }, shown(id)),
          element("td", {}, shown(address)),
          element("td", { class: "number" }, String(rooms)),
          element("td", {}, notes.join(", ")),
        );
      }),
    );
    this.#rooms.replaceChildren(
      ...cluster.rooms.map(({ room, server }) =>
        element(
          "tr",
          { class: server === undefined && "warning" },
          element("th", { scope: "row" }, room),
          element("td", {}, server === undefined ? "nobody" : shown(server)),
        ),
      ),
    );
    const hidden = cluster.total - cluster.rooms.length;
    this.#note.textContent = hidden > 0 ? `and ${hidden} more` : "";
  }
}

/**
 * @param {string[]} names
 * @param {HTMLTableSectionElement} body
 */
function table(names, body) {
  const heads = names.map((name) => element("th", { scope: "col" }, name));
  return element(
    "table",
    { class: "data" },
    element("thead", {}, element("tr", {}, ...heads)),
    body,
  );
}
