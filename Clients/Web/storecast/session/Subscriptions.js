import { utf8Length, writeSubscribe, writeUnsubscribe } from "../wire/ClientFrame.js";
import { inspectJSON } from "../wire/JSONText.js";
import { Rejection } from "../wire/Rejection.js";

/** @typedef {import("./Mirror.js").Mirror} Mirror */
/** @typedef {import("../wire/ServerFrame.js").Limits} Limits */

/** What a client mirrors: asks the server for it, and gives what comes to the mirrors. */
export class Subscriptions {
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
  #refs = 0;
  #isConnected = false;
  #say;
  #limits;

  /**
   * @param {(frame: string) => void} say  sends a frame when there is a connection
   * @param {() => Limits} limits  of the server
   */
  constructor(say, limits) {
    this.#say = say;
    this.#limits = limits;
  }

  get all() {
    return [...this.#byKey.values()];
  }

  /** Whether an answer is under way without which a mirror may be older than what is settled. */
  get isAwaiting() {
    return this.all.some((mirror) => mirror.isAwaited);
  }

  /** A connection is there: asks for everything. */
  connected() {
    this.#isConnected = true;
    for (const mirror of this.all) this.#subscribe(mirror);
  }

  /** The connection is gone, and all its numbers with it. */
  disconnected() {
    this.#isConnected = false;
    this.#byRef.clear();
    this.#bySub.clear();
    for (const mirror of this.all) mirror.sub = undefined;
  }

  /**
   * Follows what `mirror` is to mirror.
   *
   * @param {Mirror} mirror  a new one, or one that was followed before
   * @param {(mirror: Mirror) => void} restore  gives it what was kept of it
   * @returns {Mirror} the one that all share who follow this selection with equal parameters
   */
  follow(mirror, restore) {
    const known = this.#byKey.get(mirror.key);
    if (known) return known;
    restore(mirror);
    this.#byKey.set(mirror.key, mirror);
    if (this.#isConnected) this.#subscribe(mirror);
    // It shows nothing that could be too old; and a client that goes on making mirrors is to hear
    // of its outcomes.
    if (mirror.value === undefined) mirror.isAwaited = false;
    return mirror;
  }

  /**
   * Ends a mirror, of which nothing is wanted any more.
   *
   * @param {Mirror} mirror
   */
  release(mirror) {
    this.#end(mirror);
    if (!this.#byKey.delete(mirror.key) || !this.#isConnected || mirror.isRefused) return;
    this.#say(writeUnsubscribe(mirror.ref));
  }

  /**
   * The mirrors that follow `sub`.
   *
   * @param {number} sub
   * @returns {readonly Mirror[]}
   */
  of(sub) {
    return this.#bySub.get(sub) ?? [];
  }

  /** @param {import("../wire/ServerFrame.js").Subscribed} frame */
  subscribed({ ref, sub, tag }) {
    const mirror = this.#byRef.get(ref);
    if (!mirror) return;
    const others = this.of(sub).filter((other) => other !== mirror);
    mirror.subscribed(sub, tag);
    if (others[0]) mirror.adopt(others[0]);
    this.#bySub.set(sub, [...others, mirror]);
  }

  /**
   * Applies a part; one that doesn't fit makes its mirrors begin anew.
   *
   * @param {import("../wire/ServerFrame.js").Part} part
   * @param {string} epoch
   * @returns {readonly Mirror[]} those that have moved
   */
  apply(part, epoch) {
    const mirrors = this.of(part.sub);
    // All of them, as it is one value that they have.
    const misfits = mirrors.filter((mirror) => !mirror.take(part, epoch));
    if (misfits.length === 0) return mirrors;
    this.#restart(mirrors);
    return [];
  }

  /**
   * The server has ended a subscription.
   *
   * @param {import("../wire/ServerFrame.js").Lapse} lapse
   * @returns {readonly Mirror[]} those that have failed
   */
  lapse({ sub, code }) {
    const mirrors = this.of(sub);
    if (code === "renewed") {
      for (const mirror of mirrors) this.#subscribe(mirror);
      return [];
    }
    const rejection = new Rejection(code, "The server ended the subscription.");
    for (const mirror of mirrors) mirror.fail(rejection);
    return mirrors;
  }

  /**
   * The server can't use the subscription `ref`.
   *
   * @param {number} ref
   * @param {Rejection} rejection
   * @returns {Mirror[]} those that have failed
   */
  fail(ref, rejection) {
    const mirror = this.#byRef.get(ref);
    mirror?.fail(rejection);
    return mirror ? [mirror] : [];
  }

  /**
   * Ends what this client can't take the value of.
   *
   * @param {number} sub
   * @param {Rejection} rejection
   * @returns {readonly Mirror[]} those that have failed
   */
  refuse(sub, rejection) {
    const mirrors = this.of(sub);
    for (const mirror of mirrors) {
      this.#say(writeUnsubscribe(mirror.ref));
      this.#end(mirror);
      mirror.fail(rejection);
    }
    return mirrors;
  }

  /**
   * Whether a mirror has `sub`, or may be told so any moment.
   *
   * @param {number} sub
   */
  mayFollow(sub) {
    return this.all.some(
      (mirror) => mirror.sub === sub || (mirror.sub === undefined && !mirror.isRefused),
    );
  }

  /**
   * The mirror has no subscription any more.
   *
   * @param {Mirror} mirror
   */
  #end(mirror) {
    const { ref, sub } = mirror;
    this.#byRef.delete(ref);
    if (sub === undefined) return;
    const others = this.of(sub).filter((other) => other !== mirror);
    if (others.length > 0) this.#bySub.set(sub, others);
    else this.#bySub.delete(sub);
  }

  /** @param {Mirror} mirror */
  #subscribe(mirror) {
    this.#end(mirror);
    this.#refs += 1;
    mirror.subscribes(this.#refs);
    this.#byRef.set(this.#refs, mirror);
    const { selection: select, parameters: params, resumePoint: at } = mirror;
    const frame = writeSubscribe({ ref: this.#refs, select, params, at });
    const { message, depth } = this.#limits();
    if (utf8Length(frame) <= message && inspectJSON(params).depth + 2 <= depth) {
      return this.#say(frame);
    }
    mirror.fail(new Rejection("invalid-params", "The parameters are too large or too deep."));
  }

  /**
   * Asks for a snapshot, which the server sends when nobody is left who has the value already.
   *
   * @param {readonly Mirror[]} mirrors  of one `sub`
   */
  #restart(mirrors) {
    for (const mirror of mirrors) {
      this.#say(writeUnsubscribe(mirror.ref));
      mirror.forget();
    }
    for (const mirror of mirrors) this.#subscribe(mirror);
  }
}
