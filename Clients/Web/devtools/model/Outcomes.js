import { newID } from "../elements.js";
import { Follower } from "./Follower.js";

/** @typedef {import("./types.js").Forwarded} Forwarded */

/** What the server is asked to do, and what becomes of it. */
export class Outcomes {
  #connection;
  /** @type {Follower<Forwarded[]>} */
  #list;
  /**
   * By their tickets.
   *
   * @type {Map<string, { resolve: (done: Forwarded) => void, reject: (error: Error) => void }>}
   */
  #waiting = new Map();

  /**
   * @param {import("../../storecast/index.js").Connection} connection
   * @param {() => void} changed
   */
  constructor(connection, changed) {
    this.#connection = connection;
    this.#list = new Follower(connection, "dispatches", () => {
      this.#settle();
      changed();
    });
    this.#list.follow();
  }

  /** The last ones, the newest at the end. */
  get all() {
    return this.#list.value ?? [];
  }

  /**
   * Has the server do something; rejects with the reason if that fails.
   *
   * @param {string} type
   * @param {Record<string, unknown>} members
   * @returns {Promise<Forwarded>}
   */
  of(type, members) {
    const ticket = newID();
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      const action = { type, payload: { ticket, ...members } };
      this.#connection.dispatch(action).catch((error) => {
        this.#waiting.delete(ticket);
        reject(error);
      });
    });
  }

  #settle() {
    for (const outcome of this.all) {
      const waiting = outcome.isOver && this.#waiting.get(outcome.ticket);
      if (!waiting) continue;
      this.#waiting.delete(outcome.ticket);
      if (outcome.problem === undefined) waiting.resolve(outcome);
      else waiting.reject(new Error(outcome.problem));
    }
  }
}
