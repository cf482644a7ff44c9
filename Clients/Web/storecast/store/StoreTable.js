/** @typedef {import("./RemoteStore.js").RemoteStore<any, any>} RemoteStore */

/** The stores of a connection that follow the server. */
export class StoreTable {
  /**
   * By what they mirror.
   *
   * @type {Map<string, Set<RemoteStore>>}
   */
  #stores = new Map();

  /**
   * The one for all who ask for the same.
   *
   * @param {string} key  of the mirror
   * @param {RemoteStore["reduce"]} reduce
   */
  find(key, reduce) {
    return [...(this.#stores.get(key) ?? [])].find((store) => store.reduce === reduce);
  }

  /** @param {RemoteStore} store */
  add(store) {
    const alike = this.#stores.get(store.key) ?? new Set();
    this.#stores.set(store.key, alike.add(store));
  }

  /** @param {RemoteStore} store */
  delete(store) {
    const alike = this.#stores.get(store.key);
    alike?.delete(store);
    if (alike?.size === 0) this.#stores.delete(store.key);
  }

  /** Those that show what is dispatched at once. */
  get optimistic() {
    return [...this.#stores.values()].flatMap((alike) => [...alike].filter(({ reduce }) => reduce));
  }
}
