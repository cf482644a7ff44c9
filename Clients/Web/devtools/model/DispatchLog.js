/** @typedef {import("./types.js").Dispatch} Dispatch */

const most = 500;

/** The dispatches of a room that the page knows, oldest first. */
export class DispatchLog {
  /** @type {Map<string, Dispatch>} */
  #known = new Map();
  /** @type {Dispatch[]} */
  entries = [];
  /** Whether older ones were asked for: then they are kept. */
  keepsOld = false;

  /**
   * @param {Dispatch} dispatch
   */
  static key(dispatch) {
    return `${dispatch.participant}/${dispatch.seq}`;
  }

  /**
   * Takes what isn't known yet; true if there was something.
   *
   * @param {readonly Dispatch[]} dispatches
   */
  add(dispatches) {
    let isNews = false;
    for (const dispatch of dispatches) {
      const key = DispatchLog.key(dispatch);
      const known = this.#known.get(key);
      // The live log knows the number by which the server finds it.
      if (known && (known.number !== undefined || dispatch.number === undefined)) continue;
      this.#known.set(key, { ...known, ...dispatch });
      isNews = true;
    }
    if (!isNews) return false;
    const entries = [...this.#known.values()];
    entries.sort((one, other) => one.version - other.version || one.time - other.time);
    const surplus = this.keepsOld ? 0 : Math.max(0, entries.length - most);
    for (const old of entries.splice(0, surplus)) this.#known.delete(DispatchLog.key(old));
    this.entries = entries;
    return true;
  }

  /**
   * The dispatch that led to a version, if it is known.
   *
   * @param {number} version
   */
  at(version) {
    return this.entries.find((entry) => entry.version === version && !entry.rejection);
  }

  clear() {
    this.#known.clear();
    this.entries = [];
    this.keepsOld = false;
  }
}
