import { writeDispatch } from "../wire/ClientFrame.js";
import { Rejection } from "../wire/Rejection.js";
import { writeAction } from "./Action.js";

/** @typedef {import("./Action.js").Action} Action */
/** @typedef {import("./Position.js").Position} Position */
/** @typedef {import("../wire/ServerFrame.js").Limits} Limits */
/** @typedef {import("../outbox/OutboxStorage.js").OutboxContents} OutboxContents */
/** @typedef {import("../outbox/OutboxStorage.js").OutboxChange} OutboxChange */

/**
 * A dispatch without an outcome.
 *
 * @typedef {object} Entry
 * @property {number} seq
 * @property {number} base
 * @property {string} epoch  that of `base`; empty until one is known
 * @property {string} text  the action, as it is sent
 * @property {Action} action  the action, as the server will read it
 * @property {(position: Position) => void} resolve
 * @property {(rejection: Rejection) => void} reject
 * @property {string} [traceparent]  the span that it belongs to; not stored
 * @property {Rejection} [rejection]  its outcome, when the server settles it
 */

/** How many dispatches a client keeps, and how many bytes. */
const mostDispatches = 100_000;
const mostBytes = 16 << 20;

/** The numbers that there are for the connections of a program. */
const room = 1 << 20;

/**
 * A client's dispatches that have no outcome yet, in their order and without gaps.
 *
 * A dispatch is numbered when it is made, written to a storage if there is one, sent, and settled.
 * Outcomes are told in order too: a rejection waits for the settlement that covers it, so that an
 * action of which somebody was told that it is rejected is never sent again.
 */
export class Outbox {
  /** @type {Entry[]} */
  entries = [];
  /** The last number that was given. */
  lastSeq = 0;
  /** Counts what came. */
  arrivals = 0;
  /** Counts what went, or got another number. */
  departures = 0;
  /**
   * Why nothing is taken any more.
   *
   * @type {Rejection | undefined}
   */
  refusal;
  /**
   * Called with every rejection that the server settled, also of what an earlier program left.
   *
   * @type {(rejection: Rejection, action: Action) => void}
   */
  onRejected = () => {};
  /** @type {Limits} */
  limits = { message: 1 << 20, window: 1024, subscriptions: 256, depth: 64 };

  /** The last dispatch that may ever have reached the server. */
  #lastEverSent = 0;
  #bytes = 0;
  /** How far they have come on the connection that there is now. */
  #cursor = { greeted: 0, sent: 0, acked: 0 };
  /** How many connections there were. */
  #connections = 0;
  /**
   * How often the outbox was opened, this time included; undefined if nobody counts.
   *
   * @type {number | undefined}
   */
  #opening = 0;
  /** How much of it is stored; all of it, if nothing has to be. */
  #stored = { seq: Infinity, settled: Infinity };

  /** The client knows the outcomes of all dispatches up to this one. */
  get settled() {
    return this.entries[0] ? this.entries[0].seq - 1 : this.lastSeq;
  }

  // Coming in

  /**
   * Takes an action and gives it the next number; `resolve` or `reject` is called with its outcome.
   *
   * @param {Action} action
   * @param {Position | undefined} position  the newest that is known of the room
   * @param {Entry["resolve"]} resolve
   * @param {Entry["reject"]} reject
   * @param {string} [traceparent]
   * @throws {Rejection} if it can't be taken
   */
  append(action, position, resolve, reject, traceparent) {
    if (this.refusal) throw this.refusal;
    const text = writeAction(action, this.limits);
    if (this.entries.length >= mostDispatches || this.#bytes + text.length > mostBytes) {
      throw new Rejection("outbox-full", "Too many dispatches wait for the server.");
    }
    this.lastSeq += 1;
    this.#insert({
      seq: this.lastSeq,
      base: position?.version ?? 0,
      epoch: position?.epoch ?? "",
      text,
      action: JSON.parse(text),
      resolve,
      reject,
      traceparent,
    });
  }

  /**
   * Takes what an earlier program left, ahead of what was dispatched in this one.
   *
   * @param {OutboxContents} contents
   */
  open({ settled, dispatches, opening }) {
    this.#opening = opening;
    const made = this.entries;
    this.entries = [];
    this.lastSeq = settled;
    this.#bytes = 0;
    this.departures += 1;
    for (const { seq, base, epoch, action } of dispatches) {
      this.lastSeq = seq;
      const ignore = () => {};
      const outcome = { resolve: ignore, reject: ignore };
      this.#insert({ seq, base, epoch, text: action, action: JSON.parse(action), ...outcome });
    }
    // Nobody knows which of them were sent.
    this.#lastEverSent = this.lastSeq;
    this.#stored = { seq: this.lastSeq, settled };
    for (const entry of made) this.#insert({ ...entry, seq: (this.lastSeq += 1) });
  }

  /** @param {Entry} entry */
  #insert(entry) {
    this.entries.push(entry);
    this.#bytes += entry.text.length;
    this.arrivals += 1;
  }

  // Going out

  /**
   * The number of a new connection, above all that this program and those that had the outbox open
   * before it gave theirs; undefined if that can't be known.
   */
  nextConnection() {
    this.#connections += 1;
    if (this.#opening === undefined) return undefined;
    const number = this.#opening * room + Math.min(this.#connections, room - 1);
    return Number.isSafeInteger(number) ? number : undefined;
  }

  /** Whether nobody can say which of this program's connections was made later. */
  get isUnsure() {
    return this.#opening === undefined && this.#connections > 1;
  }

  /** A connection is greeted: what `hello` says to be settled. */
  greet() {
    // A server that remembers says it again; one that doesn't is asked again.
    for (const entry of this.entries) {
      if (entry.rejection?.code !== "outcome-unknown") delete entry.rejection;
    }
    this.#cursor.greeted = this.settled;
    return this.settled;
  }

  /**
   * The server is there: everything behind `lastSeq` is sent once more. The rest has its outcome,
   * which `settle` is to tell.
   *
   * @param {import("../wire/ServerFrame.js").Welcome} welcome
   */
  welcomed({ epoch, v, lastSeq, limits, rejected = [] }) {
    this.limits = limits;
    if (lastSeq > this.#lastEverSent) this.#disown(lastSeq);
    const resumed = Math.max(this.#cursor.greeted, lastSeq);
    this.#cursor.sent = resumed;
    this.#cursor.acked = resumed;
    for (const { seq, code, title, detail } of rejected) {
      this.reject(seq, new Rejection(code, title, detail));
    }
    this.#rebase(epoch, v);
  }

  /**
   * Old versions mean nothing in a new history.
   *
   * @param {string} epoch
   * @param {number} version
   */
  #rebase(epoch, version) {
    const changed = this.entries.filter((entry) => entry.epoch !== epoch);
    for (const entry of changed) Object.assign(entry, { epoch, base: version });
    const first = changed[0];
    if (first && this.#stored.seq < Infinity) {
      this.#stored.seq = Math.min(this.#stored.seq, first.seq - 1);
    }
  }

  /**
   * The server has settled numbers that this program never sent: its storage has forgotten the last
   * of what it was given, or somebody else has the client's id. What they stood for is unknown.
   *
   * @param {number} lastSeq
   */
  #disown(lastSeq) {
    const title = "It can't be told whether the action was reduced.";
    const detail = "The server has settled more than this client has sent.";
    for (const entry of this.entries) {
      if (entry.seq > this.#lastEverSent && entry.seq <= lastSeq) {
        entry.rejection = new Rejection("outcome-unknown", title, detail);
      }
    }
    this.lastSeq = Math.max(this.lastSeq, lastSeq);
    this.#lastEverSent = lastSeq;
  }

  /** The frame of the dispatch that may be sent now; undefined if there is none. */
  get next() {
    const seq = this.#cursor.sent + 1;
    const entry = this.#entry(seq);
    if (!entry || seq > Math.min(this.#stored.seq, this.#cursor.acked + this.limits.window)) {
      return undefined;
    }
    const { base, text, traceparent } = entry;
    return writeDispatch({ seq, base, settled: this.settled, traceparent }, text);
  }

  /** The dispatch that `next` told of is on its way. */
  sent() {
    this.#cursor.sent += 1;
    this.#lastEverSent = Math.max(this.#lastEverSent, this.#cursor.sent);
  }

  /**
   * Sends everything from `seq` on once more.
   *
   * @param {number} seq
   */
  goBack(seq) {
    const { acked, sent } = this.#cursor;
    this.#cursor.sent = Math.max(acked, Math.min(sent, Math.max(seq, 1) - 1));
  }

  // Settling

  /**
   * The server has settled everything up to `acked`: that may run ahead of what was sent again,
   * not of what was ever sent.
   *
   * @param {number} acked
   */
  acknowledge(acked) {
    const known = Math.min(acked, this.#lastEverSent);
    this.#cursor.acked = Math.max(this.#cursor.acked, known);
    this.#cursor.sent = Math.max(this.#cursor.sent, known);
  }

  /**
   * The server has rejected `seq` for good; the outcome is told when it is settled.
   *
   * @param {number} seq
   * @param {Rejection} rejection
   */
  reject(seq, rejection) {
    const entry = this.#entry(seq);
    if (entry && seq <= this.#lastEverSent) entry.rejection ??= rejection;
  }

  /**
   * Takes out everything up to `acked`; what wasn't rejected was reduced, as of `position`.
   *
   * @param {number} acked
   * @param {Position} position
   * @returns {(() => void)[]} tell the outcomes
   */
  settle(acked, position) {
    const end = Math.min(acked, this.#lastEverSent);
    return this.#take(Math.max(0, end - this.settled)).map((entry) => () => {
      const { rejection, action } = entry;
      if (!rejection) return entry.resolve(position);
      entry.reject(rejection);
      this.onRejected(rejection, action);
    });
  }

  /**
   * Ends every wait with `rejection`, and refuses what comes later with it.
   *
   * @param {Rejection} rejection
   * @returns {(() => void)[]} tell the outcomes
   */
  abandon(rejection) {
    this.refusal = rejection;
    return this.#take(Infinity).map((entry) => () => entry.reject(rejection));
  }

  /** @param {number} count */
  #take(count) {
    const taken = this.entries.splice(0, count);
    if (taken.length > 0) this.departures += 1;
    for (const entry of taken) this.#bytes -= entry.text.length;
    return taken;
  }

  // Storing

  /**
   * What isn't stored yet; undefined if everything is.
   *
   * @returns {OutboxChange | undefined}
   */
  get unwritten() {
    const { settled, lastSeq } = this;
    if (this.#stored.seq >= lastSeq && this.#stored.settled >= settled) return undefined;
    const stored = Math.max(this.#stored.seq, settled) - settled;
    const dispatches = this.entries
      .slice(stored)
      .map(({ seq, base, epoch, text }) => ({ seq, base, epoch, action: text }));
    return { dispatches, settled };
  }

  /** @param {OutboxChange} change  is stored now */
  noteWritten({ dispatches, settled }) {
    this.#stored.settled = settled;
    // One that has got another base since is to be written once more.
    const changed = dispatches.find(
      ({ seq, epoch }) => (this.#entry(seq)?.epoch ?? epoch) !== epoch,
    );
    const last = changed ? changed.seq - 1 : dispatches.at(-1)?.seq ?? 0;
    this.#stored.seq = Math.max(this.#stored.seq, settled, last);
  }

  /**
   * The dispatches behind `seq`.
   *
   * @param {number} seq
   */
  after(seq) {
    return this.entries.slice(Math.max(0, seq - this.settled));
  }

  /** @param {number} seq */
  #entry(seq) {
    const entry = this.entries[seq - this.settled - 1];
    return entry?.seq === seq ? entry : undefined;
  }
}

