import { Follower } from "./Follower.js";

/** @typedef {import("./types.js").Found} Found */

/**
 * Looks in a room's past, one question at a time: for the last dispatch that changed a place, or
 * for the first version at which something is so.
 */
export class Search {
  #change;
  #first;
  /** @type {{ name: "change" | "first", params: Record<string, unknown> } | undefined} */
  #asked;

  /**
   * @param {import("../../storecast/index.js").Connection} connection
   * @param {() => void} changed
   */
  constructor(connection, changed) {
    this.#change = /** @type {Follower<Found>} */ (new Follower(connection, "change", changed));
    this.#first = /** @type {Follower<Found>} */ (new Follower(connection, "first", changed));
  }

  /**
   * Who changed the place last, up to a version.
   *
   * @param {string} room
   * @param {string} path  a JSON Pointer
   * @param {number} through
   */
  change(room, path, through) {
    this.#ask("change", { room, path, through });
  }

  /**
   * Since when it is so, from a version up to another.
   *
   * @param {string} room
   * @param {string} path
   * @param {{ test: string, value?: unknown }} condition
   * @param {number} from
   * @param {number} through
   */
  first(room, path, condition, from, through) {
    this.#ask("first", { room, path, ...condition, from, through });
  }

  /** Goes on where a bound ended the last search. */
  goOn() {
    const { answer } = this;
    if (!this.#asked || !answer?.isBounded) return;
    const { name, params } = this.#asked;
    this.#ask(name, {
      ...params, ...(name === "change" ? { through: answer.from } : { from: answer.through }),
    });
  }

  leave() {
    this.#asked = undefined;
    this.#change.leave();
    this.#first.leave();
  }

  /** What is asked, while there is a question. */
  get asked() {
    return this.#asked;
  }

  /** What is found; undefined while it is looked for. */
  get answer() {
    if (!this.#asked) return undefined;
    return (this.#asked.name === "change" ? this.#change : this.#first).value;
  }

  /**
   * @param {"change" | "first"} name
   * @param {Record<string, unknown>} params
   */
  #ask(name, params) {
    this.leave();
    this.#asked = { name, params };
    (name === "change" ? this.#change : this.#first).follow(params);
  }
}
