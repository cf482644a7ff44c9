import { Follower } from "./Follower.js";

/** @typedef {import("./types.js").Found} Found */

/**
 * Whose past is looked through: a room's, or that of a log that was imported.
 *
 * @typedef {{ room: string } | { id: string }} Subject
 */

/** What the questions are called where they are about an imported log. */
const ofImported = { change: "importedChange", first: "importedFirst" };

/**
 * Looks in the past of a room or an imported log, one question at a time: for the last dispatch
 * that changed a place, or for the first version at which something is so.
 */
export class Search {
  #connection;
  #changed;
  /** @type {Follower<Found> | undefined} */
  #answer;
  /** @type {{ name: "change" | "first", params: Record<string, unknown> } | undefined} */
  #asked;

  /**
   * @param {import("../../storecast/index.js").Connection} connection
   * @param {() => void} changed
   */
  constructor(connection, changed) {
    this.#connection = connection;
    this.#changed = changed;
  }

  /**
   * Who changed the place last, up to a version.
   *
   * @param {Subject} subject
   * @param {string} path  a JSON Pointer
   * @param {number} through
   */
  change(subject, path, through) {
    this.#ask("change", { ...subject, path, through });
  }

  /**
   * Since when it is so, from a version up to another.
   *
   * @param {Subject} subject
   * @param {string} path
   * @param {{ test: string, value?: unknown }} condition
   * @param {number} from
   * @param {number} through
   */
  first(subject, path, condition, from, through) {
    this.#ask("first", { ...subject, path, ...condition, from, through });
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
    this.#answer?.leave();
    this.#answer = undefined;
  }

  /** What is asked, while there is a question. */
  get asked() {
    return this.#asked;
  }

  /** What is found; undefined while it is looked for. */
  get answer() {
    return this.#answer?.value;
  }

  /**
   * @param {"change" | "first"} name
   * @param {Record<string, unknown>} params
   */
  #ask(name, params) {
    this.leave();
    this.#asked = { name, params };
    const selection = "id" in params ? ofImported[name] : name;
    this.#answer = new Follower(this.#connection, selection, this.#changed);
    this.#answer.follow(params);
  }
}
