import { utf8Length } from "../wire/ClientFrame.js";
import { FrameError } from "../wire/FrameError.js";
import { readJSON } from "../wire/JSONText.js";

/** @typedef {import("../wire/SnapshotPart.js").SnapshotPart} SnapshotPart */
/** @typedef {import("../wire/ServerFrame.js").Part} Part */

/** A value that comes in parts, until the message that goes on from it. */
export class PartedValue {
  /** Whether the server may have ended it, so that another may begin. */
  mayBeOver;

  #received = 0;
  /**
   * The pieces of text so far; undefined if nobody wants them, and then they are only counted.
   *
   * @type {string[] | undefined}
   */
  #pieces;
  /** @type {{ value: unknown } | undefined} */
  #whole;

  /**
   * @param {SnapshotPart} first
   * @param {boolean} isWanted
   */
  constructor({ sub, v, bytes }, isWanted) {
    this.sub = sub;
    this.v = v;
    this.bytes = bytes;
    this.mayBeOver = !isWanted;
    this.#pieces = isWanted ? [] : undefined;
  }

  /** Whether all of it has come. */
  get isComplete() {
    return this.#received === this.bytes;
  }

  /**
   * Takes the next part.
   *
   * @param {SnapshotPart} part
   * @throws {FrameError} if it is another, or doesn't fit
   */
  append({ sub, v, offset, bytes, text }) {
    const size = utf8Length(text);
    const isNext = offset === this.#received && size > 0 && offset + size <= this.bytes;
    if (sub !== this.sub || v !== this.v || bytes !== this.bytes || !isNext) {
      throw new FrameError("invalid-frame", "A part of a value doesn't fit.");
    }
    this.#received += size;
    this.#pieces?.push(text);
    if (!this.isComplete || !this.#pieces) return;
    this.#whole = { value: readJSON(this.#pieces.join("")) };
    this.#pieces = undefined;
  }

  /** Nobody wants the value any more. */
  discard() {
    this.#pieces = undefined;
    this.#whole = undefined;
  }

  /** Whether it is there, and waits for the message that goes on from it. */
  get isWhole() {
    return this.#whole !== undefined;
  }

  /**
   * The snapshot that it was, if `part` goes on from it.
   *
   * @param {Part} part
   * @returns {Part | undefined}
   */
  snapshot(part) {
    const base = part.op === "current" ? part.v : part.op === "patch" ? part.from : undefined;
    if (!this.#whole || base !== this.v) return undefined;
    return { op: "snapshot", sub: this.sub, v: this.v, value: this.#whole.value };
  }
}
