/** @typedef {import("../wire/ServerFrame.js").Part} Part */

/**
 * What the server announced to take effect together, and what came of it so far.
 *
 * It keeps at most one part for each of the client's mirrors, whatever was announced.
 */
export class IncomingTransaction {
  /** @type {Map<number, Part>} */
  #parts = new Map();
  #heard = 0;

  /** @param {import("../wire/ServerFrame.js").Transaction} frame */
  constructor({ v, count, acked }) {
    this.version = v;
    this.count = count;
    this.acked = acked;
  }

  get isComplete() {
    return this.#heard === this.count;
  }

  get parts() {
    return [...this.#parts.values()];
  }

  /**
   * Takes the next part; false if there was one of its `sub` before. One of a `sub` that the
   * client doesn't follow, any more, only counts.
   *
   * @param {Part} part
   * @param {boolean} isFollowed
   */
  take(part, isFollowed) {
    this.#heard += 1;
    if (!isFollowed) return true;
    if (this.#parts.has(part.sub)) return false;
    this.#parts.set(part.sub, part);
    return true;
  }
}
