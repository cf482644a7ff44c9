/** Those who want to be told of changes. */
export class Listeners {
  /** @type {Set<{ listener: () => void }>} */
  #all = new Set();

  get count() {
    return this.#all.size;
  }

  /**
   * @param {() => void} listener  counts as often as it is added
   * @returns {() => void} takes it out again
   */
  add(listener) {
    const entry = { listener };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  /**
   * Calls all that are there now; one that throws keeps no other from being called.
   *
   * The program hears of what was thrown as of every error that nobody caught.
   */
  call() {
    for (const { listener } of [...this.#all]) {
      try {
        listener();
      } catch (error) {
        reportError(error);
      }
    }
  }
}

/**
 * Calls `listener` when `read` gives something else than before.
 *
 * @param {() => unknown} read
 * @param {() => void} listener
 */
export function onChange(read, listener) {
  let told = read();
  return () => {
    const now = read();
    if (now === told) return;
    told = now;
    listener();
  };
}

/**
 * Whether two lists have the same in every place.
 *
 * @param {readonly unknown[]} one
 * @param {readonly unknown[]} other
 */
export function isSame(one, other) {
  return one.length === other.length && one.every((part, place) => part === other[place]);
}

/**
 * Lets the program hear of it as of every error that nobody caught.
 *
 * @param {unknown} error
 */
export function reportError(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else queueMicrotask(() => { throw error; });
}
