/** The most names that are kept of one object; beyond them nobody knows what was touched. */
const mostNames = 4096;

/** The names of the members that patches touched, one after the other. */
class Touches {
  /** @type {string[]} */
  #names = [];
  #dropped = 0;

  get end() {
    return this.#dropped + this.#names.length;
  }

  /** @param {string} name */
  add(name) {
    if (this.#names.length === mostNames) {
      this.#dropped += mostNames;
      this.#names = [];
    }
    this.#names.push(name);
  }

  /**
   * @param {number} start
   * @param {number} end
   * @returns {Set<string> | undefined} undefined if they aren't all there any more
   */
  between(start, end) {
    if (start < this.#dropped) return undefined;
    return new Set(this.#names.slice(start - this.#dropped, end - this.#dropped));
  }
}

/**
 * A version of an object: what patches made of the one before. `end` is where its touches end, once
 * there is a next one.
 *
 * @typedef {{ touches: Touches, end: number | undefined }} Version
 */

/**
 * No version keeps another alive.
 *
 * @type {WeakMap<object, Version>}
 */
const versions = new WeakMap();

/**
 * From now on it is noted which members of an object patches touch.
 *
 * @param {object} value  one that was handed out
 */
export function noteTouches(value) {
  if (!versions.has(value)) versions.set(value, { touches: new Touches(), end: undefined });
}

/**
 * The members by which one version of an object may differ from another: at least those that do.
 *
 * @param {object} one
 * @param {object} other
 * @returns {Set<string> | undefined} undefined if that isn't known
 */
export function touchedMembers(one, other) {
  const [first, second] = [versions.get(one), versions.get(other)];
  if (!first || first.touches !== second?.touches) return undefined;
  const { touches } = first;
  const ends = [first.end ?? touches.end, second.end ?? touches.end];
  return touches.between(Math.min(...ends), Math.max(...ends));
}

/**
 * A patch is about to change `copy`, the next version of `original`.
 *
 * @param {object} original
 * @param {object} copy
 */
export function noteCopy(original, copy) {
  const version = versions.get(original);
  // One of two next versions has the touches; the other is an object like any new one.
  if (!version || version.end !== undefined) return;
  version.end = version.touches.end;
  versions.set(copy, { touches: version.touches, end: undefined });
}

/**
 * A patch changes a member of a version that nobody has seen yet.
 *
 * @param {object} value
 * @param {string} name
 */
export function noteTouch(value, name) {
  versions.get(value)?.touches.add(name);
}
