import { isEqualJSON, isLargerThan, isObject } from "./JSONValue.js";
import { readIndex, readPointer } from "./JSONPointer.js";
import { noteCopy, noteTouch } from "./TouchedMembers.js";

/** The most values within a value that patches have made larger by copying. */
const mostValues = 4_000_000;

/**
 * A JSON value to which patches (RFC 6902) are applied, one after the other.
 *
 * Values that were handed out never change: what a patch touches is copied, once between two
 * looks at the value however many patches come, and the rest is shared. So a look costs nothing,
 * equal parts stay identical (`===`), and ten thousand patches between two looks cost the copies
 * of one. Members are plain data: `__proto__` is a name like any other.
 */
export class PatchedValue {
  /**
   * Holds the value as a member, so that the whole is replaced as every part is.
   *
   * @type {Record<string, unknown>}
   */
  #root;
  /**
   * The containers that nobody has seen yet.
   *
   * @type {Set<unknown>}
   */
  #own;

  /** @param {unknown} value */
  constructor(value) {
    this.#root = { value };
    this.#own = new Set([this.#root]);
  }

  /** The value; handed out, and unchangeable from now on. */
  get value() {
    this.#share();
    return this.#root.value;
  }

  /**
   * Applies a patch.
   *
   * @param {unknown[]} operations
   * @throws {Error} if one of them can't be applied; the value is of no use then, and what was
   *     handed out is as it was
   */
  apply(operations) {
    for (const operation of operations) {
      if (!isObject(operation)) throw new Error("An operation must be an object.");
      this.#perform(operation);
    }
    const hasCopies = operations.some((operation) => Object(operation).op === "copy");
    if (hasCopies && isLargerThan(this.#root, mostValues)) {
      throw new Error("The copies are too large.");
    }
  }

  /** @param {Record<string, unknown>} operation */
  #perform(operation) {
    const path = ["value", ...readPointer(operation.path)];
    switch (operation.op) {
      case "add":
        return this.#add(path, member(operation));
      case "remove":
        return void this.#remove(path);
      case "replace":
        return this.#replace(path, member(operation));
      case "move":
        return this.#move(["value", ...readPointer(operation.from)], path);
      case "copy":
        // The two share their parts from now on, so neither may be changed in place.
        this.#share();
        return this.#add(path, this.#read(["value", ...readPointer(operation.from)]));
      case "test":
        if (isEqualJSON(this.#read(path), member(operation))) return;
        throw new Error("A test failed.");
      default:
        throw new Error("There is no such operation.");
    }
  }

  #share() {
    if (this.#own.size > 1) this.#own = new Set([this.#root]);
  }

  /** @param {string[]} path */
  #read(path) {
    /** @type {unknown} */
    let value = this.#root;
    for (const token of path) value = child(value, token);
    return value;
  }

  /**
   * The container of a path's last token, and all around it, made fit to be changed in place.
   *
   * @param {string[]} path
   */
  #parent(path) {
    /** @type {Container} */
    let container = this.#root;
    for (const token of path.slice(0, -1)) {
      let next = child(container, token);
      if (!isContainer(next)) throw new Error("There is nothing at a path.");
      if (!this.#own.has(next)) {
        const copy = Array.isArray(next) ? next.slice() : { ...next };
        noteCopy(next, copy);
        this.#own.add(copy);
        put(container, token, copy);
        next = copy;
      }
      container = /** @type {Container} */ (next);
    }
    return container;
  }

  /**
   * @param {string[]} path
   * @param {unknown} value
   */
  #add(path, value) {
    const parent = this.#parent(path);
    const token = last(path);
    if (!Array.isArray(parent)) return put(parent, token, value);
    parent.splice(token === "-" ? parent.length : readIndex(token, parent.length + 1), 0, value);
  }

  /**
   * @param {string[]} path
   * @param {unknown} value
   */
  #replace(path, value) {
    const parent = this.#parent(path);
    child(parent, last(path));
    put(parent, last(path), value);
  }

  /** @param {string[]} path */
  #remove(path) {
    if (path.length === 1) throw new Error("The whole value can't be removed.");
    const parent = this.#parent(path);
    const removed = child(parent, last(path));
    noteTouch(parent, last(path));
    if (Array.isArray(parent)) parent.splice(Number(last(path)), 1);
    else delete parent[last(path)];
    return removed;
  }

  /**
   * @param {string[]} from
   * @param {string[]} path
   */
  #move(from, path) {
    const isWithin = from.every((token, index) => token === path[index]);
    if (isWithin && from.length < path.length) throw new Error("A value can't go into itself.");
    if (isWithin) return void this.#read(from);
    this.#add(path, this.#remove(from));
  }
}

/** @typedef {unknown[] | Record<string, unknown>} Container */

/**
 * @param {unknown} value
 * @returns {value is Container}
 */
function isContainer(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {unknown} container
 * @param {string} token
 */
function child(container, token) {
  if (Array.isArray(container)) return container[readIndex(token, container.length)];
  if (isObject(container) && Object.hasOwn(container, token)) return container[token];
  throw new Error("There is nothing at a path.");
}

/**
 * Sets a member of its own, whatever it is called.
 *
 * @param {Container} container
 * @param {string} token
 * @param {unknown} value
 */
function put(container, token, value) {
  noteTouch(container, token);
  if (Array.isArray(container)) {
    container[Number(token)] = value;
  } else if (token === "__proto__") {
    const plain = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(container, token, plain);
  } else {
    container[token] = value;
  }
}

/** @param {string[]} path */
function last(path) {
  return /** @type {string} */ (path.at(-1));
}

/** @param {Record<string, unknown>} operation */
function member(operation) {
  if (!Object.hasOwn(operation, "value")) throw new Error("An operation has no value.");
  return operation.value;
}
