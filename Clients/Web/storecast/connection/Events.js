import { reportError } from "../store/Listeners.js";

/**
 * A selection that the server has ended: the viewer may not have it any more, or it can't be worked
 * out any longer.
 *
 * @typedef {object} Lapsed
 * @property {string} selection
 * @property {unknown} params
 * @property {import("../wire/Rejection.js").Rejection} rejection
 */

/**
 * What happens on a connection, by its name, and what a listener is called with.
 *
 * @template Action
 * @typedef {object} ConnectionEvents
 * @property {(status: import("./Status.js").Status) => void} status  each that the connection takes
 * @property {(rejection: import("../wire/Rejection.js").Rejection, action: Action) => void}
 *     rejected  the server has rejected an action, maybe one that an earlier program dispatched
 * @property {(lapsed: Lapsed) => void} lapsed  the server has ended a selection
 */

/** The names of the events. */
const names = ["status", "rejected", "lapsed"];

/**
 * Tells of everything that happens, one by one and in order, where listeners of changes only hear
 * that something has changed. Listeners are called as soon as the connection is done with what has
 * happened, so that they may do anything to it.
 */
export class Events {
  /** @type {Set<{ name: string, listener: (...details: any[]) => void }>} */
  #entries = new Set();

  /**
   * @param {string} name
   * @param {(...details: any[]) => void} listener
   * @returns {() => void} ends that
   * @throws {TypeError} if there is no such event
   */
  on(name, listener) {
    if (!names.includes(name)) throw new TypeError(`There is no event '${name}'.`);
    const entry = { name, listener };
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  /**
   * @param {string} name
   * @param {unknown[]} details
   */
  tell(name, ...details) {
    for (const entry of this.#entries) {
      if (entry.name === name) queueMicrotask(() => this.#call(entry, details));
    }
  }

  /**
   * @param {{ name: string, listener: (...details: any[]) => void }} entry
   * @param {unknown[]} details
   */
  #call(entry, details) {
    if (!this.#entries.has(entry)) return;
    try {
      entry.listener(...details);
    } catch (error) {
      reportError(error);
    }
  }
}
