import { writeDispatch } from "../wire/ClientFrame.js";
import { Rejection } from "../wire/Rejection.js";
import { writeAction } from "./Action.js";
import { opened, outcomeOf, renamed, stored } from "./Entry.js";
import { stampId } from "./stampId.js";

/** @typedef {import("./Action.js").Action} Action */
/** @typedef {import("./Entry.js").Entry} Entry */
/** @typedef {import("./Position.js").Position} Position */
/** @typedef {import("../wire/ServerFrame.js").Limits} Limits */
/** @typedef {import("../outbox/OutboxStorage.js").OutboxContents} OutboxContents */
/** @typedef {import("../outbox/OutboxStorage.js").OutboxChange} OutboxChange */
/** @typedef {import("../outbox/OutboxStorage.js").StoredDispatch} StoredDispatch */

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
  /** The client's id, for life; a secret of client and server. */
  client = "";
  /**
   * This program, if it shares the outbox with other tabs.
   *
   * @type {string | undefined}
   */
  tab;
  /** @type {Entry[]} */
  entries = [];
  /** The last number that was given. */
  lastSeq = 0;
  /** Counts what went, or got another number. */
  departures = 0;
  /**
   * Why nothing is taken any more.
   *
   * @type {Rejection | undefined}
   */
  refusal;
  /** Nothing is to be stored, or what an earlier program left was read. */
  isOpen = true;
  /**
   * Called with every rejection that the server settled, also of what an earlier program left.
   *
   * @type {(rejection: Rejection, action: Action) => void}
   */
  onRejected = () => {};
  /** @type {Limits} */
  limits = { message: 1 << 20, window: 1024, subscriptions: 256, depth: 64 };

  /**
   * The outcomes of all dispatches up to this one are known where somebody waits for them: where
   * tabs share the outbox, that may take a moment longer than they are known here.
   *
   * @type {() => number}
   */
  heard = () => Infinity;

  /** Asks the storage whether another tab has the outbox by now. */
  ask = () => {};
  /** That was asked, and it hasn't. */
  #hasAsked = false;

  /** What this program made, by now. */
  #made = 0;
  /**
   * The last dispatch that is in the outbox that tabs share; those behind it wait until the tab
   * that leads has taken them. Infinity in the tab that leads, and where nobody shares.
   */
  #taken = Infinity;
  /**
   * Settled ones of which some tab hasn't heard.
   *
   * @type {Entry[]}
   */
  #unheard = [];
  /** The last dispatch that may ever have reached the server. */
  #lastEverSent = 0;
  /** That of the room's history, as of the last `welcome`. */
  #epoch = "";
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
  /** Whether an earlier program had it open, whose connections may still be on their way. */
  #wasOpened = false;
  /** How much of it is stored; all of it, if nothing has to be. */
  #stored = { seq: Infinity, settled: Infinity };

  /** The client knows the outcomes of all dispatches up to this one. */
  get settled() {
    return this.entries[0] ? this.entries[0].seq - 1 : this.lastSeq;
  }

  /** How much of that all tabs know that wait for it: what server and storage may forget. */
  get forgettable() {
    return Math.min(this.settled, this.heard());
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
    this.#admit(text);
    this.lastSeq += 1;
    this.#made += 1;
    this.#insert({
      seq: this.lastSeq,
      base: position?.version ?? 0,
      epoch: position?.epoch ?? "",
      text,
      action: JSON.parse(text),
      resolve,
      reject,
      traceparent,
      tab: this.tab,
      n: this.#made,
      isOurs: true,
    });
  }

  /** @param {string} text */
  #admit(text) {
    const count = this.entries.length + this.#unheard.length;
    if (count < mostDispatches && this.#bytes + text.length <= mostBytes) return;
    throw new Rejection("outbox-full", "Too many dispatches wait for the server.");
  }

  /**
   * Takes what an earlier program left, or the outbox that tabs share, ahead of what was dispatched
   * in this one and isn't in there.
   *
   * @param {OutboxContents} contents
   * @param {boolean} [isFollowing]  another tab leads
   */
  open({ client, settled, dispatches, opening, wasOpened = false }, isFollowing = false) {
    const { client: last, tab } = this;
    // What may have been sent isn't sent again as another client: no server could know it again.
    const sent = client === last ? 0 : this.#lastEverSent;
    const ours = this.entries.filter((entry) => entry.tab === tab);
    const lost = ours.filter(({ seq }) => seq <= sent);
    const waiting = new Map(
      ours.filter(({ seq }) => seq > sent).map((entry) => [entry.n, entry]),
    );
    this.client = client;
    this.isOpen = true;
    this.#hasAsked = false;
    this.#opening = opening;
    this.#wasOpened = wasOpened;
    this.#connections = 0;
    this.entries = [];
    this.#unheard = [];
    this.lastSeq = settled;
    this.#bytes = 0;
    this.departures += 1;
    for (const stored of dispatches) {
      this.lastSeq = stored.seq;
      const known = tab !== undefined && stored.tab === tab ? waiting.get(stored.n) : undefined;
      if (known) waiting.delete(known.n);
      this.#insert({ ...opened(stored), ...(known && outcomeOf(known)) });
    }
    // Nobody knows which of them were sent.
    this.#lastEverSent = this.lastSeq;
    this.#stored = { seq: this.lastSeq, settled };
    this.#taken = isFollowing ? this.lastSeq : Infinity;
    this.#appendAgain([...waiting.values()], last);
    for (const { reject } of lost) reject(unknown("It was sent as another client's."));
  }

  /**
   * What waits behind other dispatches than when it was made gets other numbers, and names by other
   * ids what it has made itself.
   *
   * @param {Entry[]} entries
   * @param {string} client  as of when they were made
   */
  #appendAgain(entries, client) {
    /** @type {Map<string, string>} */
    const ids = new Map();
    for (const entry of entries) {
      const seq = (this.lastSeq += 1);
      const text = renamed(entry.text, ids);
      const action = text === entry.text ? entry.action : JSON.parse(text);
      if (this.tab !== undefined) ids.set(stampId(client, entry.seq), stampId(this.client, seq));
      this.#insert({ ...entry, seq, text, action });
    }
  }

  // Sharing

  /** @param {string} tab  this program, which shares the outbox with other tabs */
  share(tab) {
    this.tab = tab;
    for (const entry of this.entries) entry.tab = tab;
  }

  /**
   * Shares it no more, and is another client: what the other tabs have is sent by them.
   *
   * @param {string} client
   */
  leave(client) {
    if (this.#stored.seq < Infinity) {
      this.#lastEverSent = Math.max(this.#lastEverSent, this.#stored.seq);
    }
    this.open({ client, settled: 0, dispatches: [] });
    this.isOpen = false;
    // In memory, unless another one is opened.
    this.#stored = { seq: Infinity, settled: Infinity };
    this.tab = undefined;
    for (const entry of this.entries) entry.tab = undefined;
  }

  /** What this tab made and the tab that leads has yet to take. */
  get untaken() {
    return this.after(this.#taken);
  }

  /** All that has an outcome of which somebody hasn't heard, or none: for a tab that joins. */
  get contents() {
    const { client, forgettable: settled } = this;
    return { client, settled, dispatches: this.#open.map(stored) };
  }

  /**
   * Those of them whose outcome is a rejection, so that a tab which joins is told.
   *
   * @returns {import("../wire/ServerFrame.js").Rejected[]}
   */
  get rejected() {
    return this.#open.flatMap(({ seq, rejection }) => {
      if (!rejection) return [];
      const { code, title, detail } = rejection;
      return [{ seq, code, title, detail }];
    });
  }

  get #open() {
    const { forgettable } = this;
    this.#unheard = this.#unheard.filter(({ seq }) => seq > forgettable);
    return [...this.#unheard, ...this.entries];
  }

  /**
   * The outcomes of all that this tab has made before this one are told.
   *
   * @returns {number}
   */
  get firstWaiting() {
    return this.entries.find(({ tab }) => tab === this.tab)?.n ?? this.#made + 1;
  }

  /**
   * As the tab that leads, takes a dispatch of another one.
   *
   * @param {StoredDispatch & { traceparent?: string | undefined }} dispatch
   * @returns {boolean} false if it has another number than the next: the tab will know better soon
   * @throws {Rejection} if it can't be taken
   */
  takeFrom(dispatch) {
    if (dispatch.seq !== this.lastSeq + 1) return false;
    if (this.refusal) throw this.refusal;
    this.#admit(dispatch.action);
    this.lastSeq += 1;
    // One without an epoch is known never to have been sent.
    const entry = { ...opened(dispatch), traceparent: dispatch.traceparent };
    entry.epoch ||= this.#epoch;
    this.#insert(entry);
    return true;
  }

  /**
   * The tab that leads has taken a dispatch.
   *
   * @param {StoredDispatch} dispatch
   * @returns {boolean} false if it isn't the next, and something must have been missed
   */
  taken(dispatch) {
    const { seq, tab, n } = dispatch;
    if (seq <= this.#taken) return true;
    if (seq !== this.#taken + 1) return false;
    const waiting = this.untaken;
    const isFirst = tab === this.tab && waiting[0]?.n === n;
    this.#lastEverSent = this.#taken = seq;
    if (isFirst) return true;
    this.#remove(this.entries.length - waiting.length);
    this.lastSeq = seq;
    this.#insert(opened(dispatch));
    this.#appendAgain(waiting, this.client);
    return true;
  }

  /**
   * The tab that leads doesn't take what this one has made, from `n` on.
   *
   * @param {number} n
   * @param {Rejection} rejection
   */
  refused(n, rejection) {
    const waiting = this.untaken.filter((entry) => Number(entry.n) >= n);
    this.#remove(this.entries.length - waiting.length);
    this.lastSeq -= waiting.length;
    for (const { reject } of waiting) reject(rejection);
  }

  /**
   * Nobody waits any more for what these tabs made: this program is told of rejections.
   *
   * @param {(tab: string) => boolean} isGone
   */
  inherit(isGone) {
    for (const entry of this.entries) if (entry.tab && isGone(entry.tab)) entry.isOurs = true;
  }

  /** @param {Entry} entry */
  #insert(entry) {
    this.entries.push(entry);
    this.#bytes += entry.text.length;
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

  /**
   * Whether nobody can say which of the client's connections was made later, this program's or an
   * earlier one's.
   */
  get isUnsure() {
    return this.#opening === undefined && (this.#wasOpened || this.#connections > 1);
  }

  /** A connection is greeted: what `hello` says to be settled. */
  greet() {
    // A server that remembers says it again; one that doesn't is asked again.
    for (const entry of this.entries) {
      if (entry.rejection?.code !== "outcome-unknown") delete entry.rejection;
    }
    this.#cursor.greeted = this.settled;
    return this.forgettable;
  }

  /**
   * Whether the server may have settled so much for this program. If it never sent that, another
   * tab may have the outbox, who does know of it; the next time the storage has been asked.
   *
   * @param {number} lastSeq
   */
  mayHaveSettled(lastSeq) {
    const isShared = this.tab !== undefined && this.#taken === Infinity;
    if (!isShared || lastSeq <= this.#lastEverSent || this.#hasAsked) return true;
    this.#hasAsked = true;
    this.ask();
    return false;
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
   * Old versions mean nothing in a new history, unless they are lower; what was never sent was
   * surely not reduced before its version. Changes are stored before they are sent.
   *
   * @param {string} epoch
   * @param {number} version
   */
  #rebase(epoch, version) {
    this.#epoch = epoch;
    const changed = this.entries.filter((entry) => entry.epoch !== epoch);
    for (const entry of changed) {
      if (!entry.epoch || entry.seq > this.#lastEverSent || entry.base > version) {
        entry.base = version;
      }
      entry.epoch = epoch;
    }
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
    for (const entry of this.entries) {
      if (entry.seq > this.#lastEverSent && entry.seq <= lastSeq) {
        entry.rejection = unknown("The server settled more than was sent.");
      }
    }
    this.lastSeq = Math.max(this.lastSeq, lastSeq);
    this.#lastEverSent = lastSeq;
  }

  /** The frame of the dispatch that may be sent now; undefined if there is none. */
  get next() {
    if (this.#taken < Infinity) return undefined;
    const seq = this.#cursor.sent + 1;
    const entry = this.#entry(seq);
    if (!entry || seq > Math.min(this.#stored.seq, this.#cursor.acked + this.limits.window)) {
      return undefined;
    }
    const { base, text, traceparent } = entry;
    return writeDispatch({ seq, base, settled: this.forgettable, traceparent }, text);
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
    const settled = this.#remove(0, Math.max(0, end - this.settled));
    const heard = this.heard();
    if (this.#taken === Infinity) this.#unheard.push(...settled.filter(({ seq }) => seq > heard));
    return settled.map((entry) => () => {
      const { rejection, action, isOurs } = entry;
      if (!rejection) return entry.resolve(position);
      entry.reject(rejection);
      if (isOurs) this.onRejected(rejection, action);
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
    return this.#remove(0).map((entry) => () => entry.reject(rejection));
  }

  /**
   * Takes out some, or all from a place on.
   *
   * @param {number} place
   * @param {number} [count]
   */
  #remove(place, count = Infinity) {
    const removed = this.entries.splice(place, count);
    if (removed.length > 0) this.departures += 1;
    for (const { text } of removed) this.#bytes -= text.length;
    return removed;
  }

  // Storing

  /**
   * What isn't stored yet; undefined if everything is.
   *
   * @returns {OutboxChange | undefined}
   */
  get unwritten() {
    const { settled, lastSeq, forgettable } = this;
    if (this.#stored.seq >= lastSeq && this.#stored.settled >= forgettable) return undefined;
    const first = Math.max(this.#stored.seq, settled) - settled;
    return { dispatches: this.entries.slice(first).map(stored), settled: forgettable };
  }

  /** How many aren't stored, or in the hands of the tab that leads, and have to be. */
  get unstored() {
    const last = this.#taken < Infinity ? this.#taken : this.#stored.seq;
    return this.after(this.isOpen ? last : 0).length;
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

/** @param {string} detail  why nobody can tell */
function unknown(detail) {
  const title = "It can't be told whether the action was reduced.";
  return new Rejection("outcome-unknown", title, detail);
}
