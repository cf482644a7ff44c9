/** @typedef {import("./Mirror.js").Mirror} Mirror */

/** The mirrors of a client, by what they mirror and by their numbers on the connection. */
export class MirrorTable {
  /** @type {Map<string, Mirror>} */
  #byKey = new Map();
  /** @type {Map<number, Mirror>} */
  #byRef = new Map();
  /**
   * Mostly one for each: the server may find parameters equal that differ in their text.
   *
   * @type {Map<number, Mirror[]>}
   */
  #bySub = new Map();

  get all() {
    return [...this.#byKey.values()];
  }

  /**
   * The mirror of the same.
   *
   * @param {Mirror} mirror
   */
  find(mirror) {
    return this.#byKey.get(mirror.key);
  }

  /** @param {number} ref */
  withRef(ref) {
    return this.#byRef.get(ref);
  }

  /**
   * @param {number} sub
   * @returns {readonly Mirror[]}
   */
  withSub(sub) {
    return this.#bySub.get(sub) ?? [];
  }

  /** @param {Mirror} mirror */
  insert(mirror) {
    this.#byKey.set(mirror.key, mirror);
  }

  /**
   * False if it isn't there.
   *
   * @param {Mirror} mirror
   */
  remove(mirror) {
    this.#forget(mirror);
    return this.#byKey.delete(mirror.key);
  }

  /**
   * The mirror asks as `ref`, and is nothing else on this connection.
   *
   * @param {Mirror} mirror
   * @param {number} ref
   */
  subscribes(mirror, ref) {
    this.#forget(mirror);
    mirror.subscribes(ref);
    this.#byRef.set(ref, mirror);
  }

  /** @param {import("../wire/ServerFrame.js").Subscribed} frame */
  subscribed({ ref, sub, tag }) {
    const mirror = this.#byRef.get(ref);
    if (!mirror) return;
    const others = this.withSub(sub).filter((other) => other !== mirror);
    mirror.subscribed(sub, tag);
    if (others[0]) mirror.adopt(others[0]);
    this.#bySub.set(sub, [...others, mirror]);
  }

  /**
   * The mirror has no subscription any more.
   *
   * @param {Mirror} mirror
   */
  ended(mirror) {
    this.#forget(mirror);
  }

  /** The connection is gone, and all its numbers with it. */
  disconnected() {
    this.#byRef.clear();
    this.#bySub.clear();
    for (const mirror of this.all) mirror.sub = undefined;
  }

  /** @param {Mirror} mirror */
  #forget(mirror) {
    this.#byRef.delete(mirror.ref);
    if (mirror.sub === undefined) return;
    const others = this.withSub(mirror.sub).filter((other) => other !== mirror);
    if (others.length > 0) this.#bySub.set(mirror.sub, others);
    else this.#bySub.delete(mirror.sub);
  }
}
