import { shownName } from "../parts/avatar.js";
import { byId, element } from "../parts/element.js";

/** @typedef {import("./reducers.js").Card} Card */
/**
 * @typedef {{ what: string, by: string, time: number, to?: string }} Event
 */

/** Who did what to the card that is open, and when, as the server's board remembers it. */
export class CardHistory {
  #list = element("ol");
  #details = element(
    "details", { class: "history" }, element("summary", { text: "History" }), this.#list
  );
  #connection;
  #me;

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection
   * @param {string} me
   */
  constructor(connection, me) {
    this.#connection = connection;
    this.#me = me;
    byId("card-dialog").querySelector("form > .buttons:last-of-type")?.before(this.#details);
  }

  /**
   * Shows that of a card as long as the dialog is open.
   *
   * @param {Card} card
   */
  show(card) {
    const store = this.#connection.select("history", card.id);
    const show = () => {
      const events = storyOf(card, store.getState()?.events ?? []);
      this.#list.replaceChildren(...events.map((event) => this.#item(event)));
    };
    const end = store.subscribe(show);
    byId("card-dialog").addEventListener("close", end, { once: true });
    show();
  }

  /** @param {Event} event */
  #item({ what, by, time, to }) {
    const who = by === this.#me ? "You" : shownName(by);
    const date = new Date(time * 1000);
    const { short, long } = timeFormats();
    const when = element("time", {
      datetime: date.toISOString(), text: short.format(date), title: long.format(date),
    });
    const text = element("span", { text: sentenceOf(who, what, to) });
    return element("li", {}, text, when);
  }
}

/** @type {{ short: Intl.DateTimeFormat, long: Intl.DateTimeFormat } | undefined} */
let formats;

/** Made when a card is opened, as the first ones of a page take a twentieth of a second. */
const timeFormats = () =>
  (formats ??= {
    short: new Intl.DateTimeFormat(undefined, {
      day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    }),
    long: new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" }),
  });

/**
 * All that is known of a card, the newest first.
 *
 * @param {Card} card
 * @param {readonly Event[]} events  oldest first
 * @returns {Event[]}
 */
export const storyOf = ({ author, created }, events) =>
  [{ what: "added", by: author, time: created }, ...events].reverse();

/**
 * @param {string} who
 * @param {string} what
 * @param {string | undefined} to
 */
export function sentenceOf(who, what, to) {
  if (what === "moved" && to) return `${who} moved it to ${to}`;
  if (what === "assigned") {
    return to ? `${who} gave it to ${shownName(to)}` : `${who} took it off whoever did it`;
  }
  return `${who} ${verbs[what] ?? "changed it"}`;
}

/** @type {Record<string, string>} */
const verbs = {
  added: "added it",
  edited: "changed the text",
  moved: "moved it",
  removed: "removed it",
  restored: "put it back",
};
