import { canonicalText } from "../wire/JSONValue.js";
import { PatchedValue } from "../wire/PatchedValue.js";
import { later } from "./Position.js";

/** @typedef {import("../wire/Rejection.js").Rejection} Rejection */
/** @typedef {import("./Position.js").Position} Position */

/**
 * What it takes to go on from a value.
 *
 * @typedef {object} MirrorContent
 * @property {unknown} value
 * @property {Position} position  the newest at which the value is known to be right
 * @property {number} since  the version at which it last changed, which names it within its epoch
 * @property {string} tag
 * @property {number} included  the last of the client's dispatches that is in it
 */

/**
 * A client's copy of one selection with its parameters.
 *
 * It moves only from one true value to a later one: a patch that doesn't apply exactly asks for a
 * snapshot instead. Belongs to its session.
 */
export class Mirror {
  ref = 0;
  /** @type {number | undefined} */
  sub;
  /**
   * Up to where the value is known to be what it is.
   *
   * @type {Position | undefined}
   */
  position;
  /**
   * Why the server sends nothing.
   *
   * @type {Rejection | undefined}
   */
  failure;
  /** The subscription that the mirror has now failed; `failure` may be that of one before. */
  isRefused = false;
  /** The last of the client's dispatches that is in the value; all above it are still to come. */
  included = 0;
  /** The server has answered the subscription that the mirror has now. */
  isAnswered = false;
  /** Outcomes wait for that answer. */
  isAwaited = false;
  /**
   * Called after a change of value or failure, when all mirrors of the connection have moved.
   *
   * @type {Set<() => void>}
   */
  observers = new Set();

  /** Whether the server has yet to answer to the version that the mirror has. */
  #isResuming = false;
  /** The copy is one that was kept, and is shown when the server has confirmed it. */
  #isHidden = false;
  #tag = "";
  /** The version at which the value last changed: what a patch must start from. */
  #version = 0;
  /** @type {PatchedValue | undefined} */
  #patched;
  /** @type {unknown} */
  #shown;

  /**
   * @param {string} selection
   * @param {unknown} parameters  undefined for none
   */
  constructor(selection, parameters) {
    this.selection = selection;
    this.parameters = parameters;
    /** The same text for all that mirror the same. */
    this.key = canonicalText(parameters === undefined ? [selection] : [selection, parameters]);
  }

  /**
   * The newest true value that is known; undefined before the first snapshot. It stays when the
   * server stops sending, and never changes once it was handed out.
   */
  get value() {
    if (this.#isHidden) return undefined;
    if (this.#patched) this.#shown = this.#patched.value;
    return this.#shown;
  }

  /** Whether the server keeps it up to date on the connection that there is now. */
  get isLive() {
    return this.sub !== undefined && this.isAnswered && this.failure === undefined;
  }

  /**
   * What is kept for the next session; undefined if there is no copy, or it is one that was kept.
   *
   * @returns {MirrorContent | undefined}
   */
  get content() {
    if (!this.#patched || !this.position || this.#isHidden) return undefined;
    const { value, position, included } = this;
    return { value, position, since: this.#version, tag: this.#tag, included };
  }

  /**
   * Begins with what was kept.
   *
   * @param {MirrorContent} content
   * @param {boolean} isShown  false to show it when the server has confirmed it
   */
  restore({ value, position, since, tag, included }, isShown) {
    this.#patched = new PatchedValue(value);
    this.#isHidden = !isShown;
    this.#version = since;
    this.#tag = tag;
    this.position = position;
    this.included = included;
  }

  /**
   * Where to go on after a reconnect.
   *
   * @returns {import("../wire/ClientFrame.js").ResumePoint | undefined}
   */
  get resumePoint() {
    if (!this.#patched || !this.position) return undefined;
    return { epoch: this.position.epoch, v: this.position.version, tag: this.#tag };
  }

  /**
   * The mirror asks for an answer, as `ref`.
   *
   * @param {number} ref
   */
  subscribes(ref) {
    this.ref = ref;
    this.sub = undefined;
    this.isRefused = false;
    this.isAnswered = false;
    this.isAwaited = true;
    this.#isResuming = true;
  }

  /**
   * @param {number} sub
   * @param {string} tag
   */
  subscribed(sub, tag) {
    this.sub = sub;
    if (this.#tag !== tag) this.forget();
    this.#tag = tag;
    this.failure = undefined;
  }

  /**
   * The connection has one copy for both: begins with what the other has of it.
   *
   * @param {Mirror} other
   */
  adopt(other) {
    if (!other.#patched) return;
    this.#patched = new PatchedValue(other.#patched.value);
    this.#isHidden = other.#isHidden;
    this.#version = other.#version;
    this.position = other.position;
  }

  /** Calls the observers. */
  tell() {
    for (const observer of this.observers) observer();
  }

  /** @param {Rejection} rejection */
  fail(rejection) {
    this.sub = undefined;
    this.isRefused = true;
    this.failure = rejection;
    this.isAwaited = false;
  }

  /**
   * Takes what came of the selection; false if it isn't for the value at hand.
   *
   * @param {import("../wire/ServerFrame.js").Part} part
   * @param {string} epoch
   */
  take(part, epoch) {
    if (part.op === "snapshot") this.#patched = new PatchedValue(part.value);
    else if (!this.#patched) return false;
    else if (part.op === "patch" && !this.#apply(part, epoch)) return false;
    this.#isHidden = false;
    this.#version = part.v;
    this.#reach({ epoch, version: part.v });
    return true;
  }

  /**
   * The whole connection has reached `position`.
   *
   * @param {Position} position
   */
  advance(position) {
    if (this.isAnswered && this.position?.epoch === position.epoch) this.#reach(position);
  }

  /**
   * The server has settled every dispatch up to `seq`, and says nothing of the selection that is
   * older than that: a value that is answered for holds them.
   *
   * @param {number} seq
   * @returns {boolean} whether it holds more of them than before
   */
  include(seq) {
    if (!this.isAnswered || this.included === seq) return false;
    this.included = seq;
    return true;
  }

  /**
   * @param {import("../wire/ServerFrame.js").Patch} patch
   * @param {string} epoch
   */
  #apply({ from, ops }, epoch) {
    if (!this.#patched || epoch !== this.position?.epoch) return false;
    // After a reconnect a server may name the value by any version that has it.
    if (this.#isResuming ? from > this.position.version : from !== this.#version) return false;
    try {
      this.#patched.apply(ops);
      return true;
    } catch {
      // What was looked at last is still true, and goes on being shown.
      this.#patched = undefined;
      return false;
    }
  }

  /** The copy is of no use any more for what comes; it goes on being shown. */
  forget() {
    this.#shown = this.value;
    this.#patched = undefined;
    this.#isHidden = false;
  }

  /**
   * A value that last changed at `position` may be known to be the one of a later position.
   *
   * @param {Position} position
   */
  #reach(position) {
    this.isAnswered = true;
    this.isAwaited = false;
    this.#isResuming = false;
    this.position = later(this.position, position);
  }
}
