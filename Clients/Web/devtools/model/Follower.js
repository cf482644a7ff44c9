/** @typedef {import("../../storecast/index.js").Connection} Connection */

/**
 * Follows one selection at a time, with parameters that change.
 *
 * @template Value
 */
export class Follower {
  #connection;
  #name;
  #changed;
  #key = "";
  /** @type {import("../../storecast/index.js").RemoteStore<any> | undefined} */
  #store;
  #end = () => {};

  /**
   * @param {Connection} connection
   * @param {string} name  the selection's
   * @param {() => void} changed
   */
  constructor(connection, name, changed) {
    this.#connection = connection;
    this.#name = name;
    this.#changed = changed;
  }

  /**
   * Follows the selection with these parameters from now on.
   *
   * @param {Record<string, unknown>} [params]
   */
  follow(params = {}) {
    const key = JSON.stringify(params);
    if (key === this.#key) return;
    this.leave();
    this.#key = key;
    this.#store = this.#connection.select(this.#name, params);
    this.#end = this.#store.subscribe(this.#changed);
  }

  /** Follows nothing, at once: the server has work with what is looked at. */
  leave() {
    this.#end();
    this.#end = () => {};
    this.#store?.close();
    this.#store = undefined;
    this.#key = "";
  }

  /**
   * What the server says now; undefined while it hasn't.
   *
   * @returns {Value | undefined}
   */
  get value() {
    return this.#store?.getState() ?? undefined;
  }
}

/**
 * The first answer of the server; rejects with the problem if there is none.
 *
 * @param {Connection} connection
 * @param {string} name  the selection's
 * @param {Record<string, unknown>} params
 * @returns {Promise<any>}
 */
export function answerOf(connection, name, params) {
  return new Promise((resolve, reject) => {
    const follower = /** @type {Follower<any>} */ (
      new Follower(connection, name, () => {
        const { value } = follower;
        if (!value) return;
        follower.leave();
        if (value.problem) reject(new Error(value.problem));
        else resolve(value);
      })
    );
    follower.follow(params);
  });
}
