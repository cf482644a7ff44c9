import { Listeners, onChange } from "./Listeners.js";

/**
 * What the store of a row needs of those of its table.
 *
 * @typedef {object} RowOwner
 * @property {(id: string) => any} read
 * @property {(row: RowStore<any>) => void} follow
 * @property {(row: RowStore<any>) => void} leave
 */

/**
 * One row of a table, in the shape of every store.
 *
 * @template Row
 */
export class RowStore {
  #listeners = new Listeners();
  #owner;

  /**
   * @param {string} id
   * @param {RowOwner} owner
   */
  constructor(id, owner) {
    this.id = id;
    this.#owner = owner;
  }

  /**
   * The row now; undefined as long as there is none.
   *
   * @returns {Row | undefined}
   */
  getState = () => this.#owner.read(this.id);

  /**
   * Calls `listener` when the row has changed, has come or gone.
   *
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => {
    this.#owner.follow(this);
    const remove = this.#listeners.add(onChange(this.getState, listener));
    return () => {
      remove();
      if (this.#listeners.count === 0) this.#owner.leave(this);
    };
  };

  /** Tells the listeners, if there is something that they don't know. */
  announce() {
    this.#listeners.call();
  }
}
