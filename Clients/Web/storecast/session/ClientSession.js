import * as frames from "../wire/ClientFrame.js";
import { Rejection } from "../wire/Rejection.js";
import { readServerFrame } from "../wire/ServerFrame.js";
import { isPart, partsForm, readPart } from "../wire/SnapshotPart.js";
import { IncomingTransaction } from "./IncomingTransaction.js";
import { PartedValue } from "./PartedValue.js";
import { later } from "./Position.js";
import { Subscriptions } from "./Subscriptions.js";

/** @typedef {import("./Mirror.js").Mirror} Mirror */
/** @typedef {import("./Position.js").Position} Position */
/** @typedef {import("../wire/ServerFrame.js").Part} Part */
/** @typedef {import("../wire/ServerFrame.js").ServerFrame} ServerFrame */

/**
 * What a session tells its owner.
 *
 * @typedef {object} SessionDelegate
 * @property {() => void} welcomed  the connection is live
 * @property {() => void} moved  mirrors have moved; their observers were called
 * @property {(frames: ServerFrame[]) => void} relay  what tabs that share the connection are to
 *     take together, before anybody here is told
 * @property {() => void} forbidden  the viewer may not have a mirror any more
 * @property {(mirrors: readonly Mirror[]) => void} lapsed  the server has ended what they followed
 * @property {() => void} pendingChanged  dispatches came or went; then outcomes are told
 * @property {() => SessionCore} core  what has the connection now
 * @property {(message: string) => void} trouble  the server said something that shouldn't be
 */

/**
 * What a session tells whoever has the connection.
 *
 * @typedef {object} SessionCore
 * @property {(seconds: number) => void} held  dispatches may be sent again when this time is over;
 *     call `endHold()` then
 * @property {(seconds: number) => void} renew  the server asks for a newer token, within this time
 * @property {(bye: import("../wire/ServerFrame.js").Bye) => void} bye  the server is about to close
 * @property {(rejection: Rejection) => void} refuse  the server can't read what this program
 *     sends: it is of no use to go on
 */

/** The most that frames take which share a message, in bytes. */
const longestBatch = 64 << 10;

/**
 * A client's half of one connection and all that follow it, without I/O: it is told of connections
 * and messages, and pulled for messages.
 *
 * It keeps the dispatches without an outcome and the mirrors across connections.
 */
export class ClientSession {
  /** @type {"offline" | "greeting" | "live"} */
  phase = "offline";
  /**
   * The newest position that was heard of.
   *
   * @type {Position | undefined}
   */
  position;
  /**
   * Whom the server takes the client for, as of its last welcome.
   *
   * @type {import("../wire/ServerFrame.js").Identity | undefined}
   */
  identity;
  /**
   * In which term that is; undefined if the server says none.
   *
   * @type {string | undefined}
   */
  term;
  /** Seconds of silence after which to ping. */
  heartbeat = 30;
  /**
   * The largest value that is taken in parts, in bytes of its text; 64 MiB. The server is asked to
   * send whole values only if it is 0.
   */
  largestValue = 64 << 20;

  /** @type {IncomingTransaction | undefined} */
  #transaction;
  /**
   * The value that comes in parts; the server sends one at a time.
   *
   * @type {PartedValue | undefined}
   */
  #parted;
  #takesParts = false;
  /**
   * The last dispatch that the server said to be settled, and as of where.
   *
   * @type {{ seq: number, position: Position } | undefined}
   */
  #acknowledged;
  #isHeld = false;
  /**
   * What the last session kept, whose values the mirrors may have.
   *
   * @type {import("./KeptMirrors.js").KeptMirrors | undefined}
   */
  #kept;
  /** @type {string[]} */
  #outgoing = [];
  #outbox;
  #delegate;
  #subscriptions;

  /**
   * @param {import("./Outbox.js").Outbox} outbox
   * @param {SessionDelegate} delegate
   */
  constructor(outbox, delegate) {
    this.#outbox = outbox;
    this.#delegate = delegate;
    this.#subscriptions = new Subscriptions(
      (frame) => this.#outgoing.push(frame),
      () => outbox.limits,
    );
  }

  /** The client's id, for life; a secret of client and server. */
  get client() {
    return this.#outbox.client;
  }

  /** The last dispatch that the server said to be settled. */
  get acknowledged() {
    return this.#acknowledged?.seq ?? 0;
  }

  // Connections

  /**
   * A connection is there: queues hello and all subscriptions.
   *
   * @param {string | undefined} token
   */
  connected(token) {
    this.phase = "greeting";
    const { client } = this;
    const { position: seen, term } = this.position ? this : { ...this.#kept?.start };
    const connection = this.#outbox.nextConnection();
    const parts = this.largestValue > 0 ? partsForm : undefined;
    const hello = { client, connection, settled: this.#outbox.greet(), seen, term, token, parts };
    this.#takesParts = false;
    this.#outgoing = [frames.writeHello(hello)];
    this.#subscriptions.connected();
  }

  /** The connection is gone; everything else stays. */
  disconnected() {
    this.phase = "offline";
    this.#outgoing = [];
    this.#transaction = undefined;
    this.#parted = undefined;
    this.#isHeld = false;
    const live = this.mirrors.filter((mirror) => mirror.isLive);
    this.#subscriptions.disconnected();
    // They aren't live any more.
    for (const mirror of live) mirror.tell();
  }

  /**
   * Ends it for good: mirrors fail, and every dispatch without an outcome gets `rejection`, which
   * says nothing about what became of it.
   *
   * @param {Rejection} rejection
   */
  close(rejection) {
    this.disconnected();
    const { mirrors } = this;
    for (const mirror of mirrors) mirror.fail(rejection);
    this.#announce(mirrors, this.#outbox.abandon(rejection));
  }

  // Mirrors

  /**
   * Follows what `mirror` is to mirror.
   *
   * @param {Mirror} mirror  a new one, or one that was followed before
   * @returns {Mirror} the one that all share who follow this selection with equal parameters
   */
  follow(mirror) {
    return this.#subscriptions.follow(mirror, (made) =>
      this.#kept?.restore(made, this.position?.epoch),
    );
  }

  /** Those that are followed. */
  get mirrors() {
    return this.#subscriptions.all;
  }

  /**
   * Begins with what the last session kept; before there is a connection.
   *
   * @param {import("./KeptMirrors.js").KeptMirrors} kept
   */
  restore(kept) {
    this.#kept = kept;
    for (const mirror of this.mirrors) {
      kept.restore(mirror, undefined);
      mirror.tell();
    }
  }

  /**
   * Ends a mirror that nobody observes any more.
   *
   * @param {Mirror} mirror
   */
  release(mirror) {
    if (mirror.observers.size > 0) return;
    this.#subscriptions.release(mirror);
    this.#kept?.keep(mirror, this.position?.epoch);
    this.#endParted(mirror.sub);
    this.#announce([], this.#takeSettled());
  }

  // Messages out

  /** Asks for a sign of life. */
  ping() {
    if (this.phase === "live") this.#outgoing.push(frames.writePing());
  }

  /**
   * Shows the server a newer token.
   *
   * @param {string} token
   */
  authenticate(token) {
    if (this.phase === "live") this.#outgoing.push(frames.writeAuthenticate(token));
  }

  /** Dispatches may be sent again. */
  endHold() {
    this.#isHeld = false;
  }

  /** The next message to send, with as many frames as fit; undefined if there is none. */
  nextMessage() {
    const most = Math.min(this.#outbox.limits.message, longestBatch) - 1;
    /** @type {string[]} */
    const batch = [];
    let bytes = 0;
    for (let frame = this.#nextFrame; frame !== undefined; frame = this.#nextFrame) {
      bytes += frames.utf8Length(frame) + 1;
      if (batch.length > 0 && bytes > most) break;
      batch.push(frame);
      if (this.#outgoing.length > 0) this.#outgoing.shift();
      else this.#outbox.sent();
    }
    return batch.length > 1 ? `[${batch}]` : batch[0];
  }

  get #nextFrame() {
    const mayDispatch = this.phase === "live" && !this.#isHeld;
    return this.#outgoing[0] ?? (mayDispatch ? this.#outbox.next : undefined);
  }

  // Messages in

  /**
   * Takes one message; false if the connection can't go on and should be made anew.
   *
   * @param {string} text
   * @returns {boolean}
   */
  receive(text) {
    try {
      if (isPart(text)) return this.#takeParted(readPart(text));
      const frame = readServerFrame(text);
      return frame ? this.#take(frame) : true;
    } catch (error) {
      return this.#isTrouble(`The server sent what is no frame: ${Object(error).message}`);
    }
  }

  /**
   * Takes frames that were read already; false as `receive`.
   *
   * @param {ServerFrame[]} frames
   */
  take(frames) {
    return frames.every((frame) => this.#take(frame));
  }

  /** @param {ServerFrame} frame */
  #take(frame) {
    const isFirst = frame.op === "welcome" || frame.op === "bye" || frame.op === "error";
    if (this.phase === "greeting" && !isFirst) {
      return this.#isTrouble("The server spoke before its welcome.");
    }
    switch (frame.op) {
      case "snapshot":
      case "patch":
      case "current":
        if (this.#isInterrupted(frame.sub)) {
          return this.#isTrouble("The server changed a value that was still coming.");
        }
        return this.#takePart(frame);
      case "transaction":
        if (this.#transaction) return this.#isTrouble("The server began a transaction in another.");
        this.#transaction = new IncomingTransaction(frame);
        return this.#finishTransaction();
      case "welcome":
        if (this.phase === "live") return this.#isTrouble("The server said welcome twice.");
        if ((frame.parts ?? partsForm) !== partsForm) {
          return this.#isTrouble("The server sends parts in a form that wasn't offered.");
        }
        if (!this.#outbox.mayHaveSettled(frame.lastSeq)) return false;
        this.#welcomed(frame);
        break;
      case "subscribed":
        this.#subscriptions.subscribed(frame);
        break;
      case "reject":
        this.#rejected(frame);
        break;
      case "lapse":
        this.#delegate.relay([frame]);
        this.#ended(this.#subscriptions.lapse(frame));
        this.#endParted(frame.sub);
        if (frame.code === "forbidden") this.#delegate.forbidden();
        break;
      case "error":
        this.#takeError(frame);
        break;
      case "pong":
        this.#delegate.relay([frame]);
        this.#reach(frame.v);
        break;
      case "term":
        this.#delegate.relay([frame]);
        this.term = frame.term;
        break;
      case "renew":
        this.#delegate.core().renew(Math.min(Math.max(0, frame.within), 86_400));
        break;
      case "bye":
        // What replaced this connection may be one of the client's own that was held up.
        if (frame.code === "replaced" && this.#outbox.isUnsure) frame.reconnect = true;
        this.#delegate.core().bye(frame);
    }
    return true;
  }

  /** @param {import("../wire/ServerFrame.js").Welcome} welcome */
  #welcomed(welcome) {
    const { epoch, v: version, term, lastSeq, heartbeat } = welcome;
    this.phase = "live";
    this.#takesParts = welcome.parts !== undefined;
    this.heartbeat = Math.min(Math.max(1, heartbeat), 3600);
    this.position = later(this.position, { epoch, version });
    this.term = term;
    this.#learn(welcome.identity);
    this.#outbox.welcomed(welcome);
    const seq = Math.max(this.#outbox.settled, lastSeq);
    this.#acknowledged = { seq, position: { epoch, version } };
    this.#announce([], this.#takeSettled());
    this.#delegate.welcomed();
  }

  /**
   * The same object as long as nothing of it changes, so that nobody has to look into it.
   *
   * @param {import("../wire/ServerFrame.js").Identity | undefined} identity
   */
  #learn(identity) {
    if (!identity || JSON.stringify(identity) === JSON.stringify(this.identity)) return;
    this.identity = identity;
  }

  /** @param {Part} part */
  #takePart(part) {
    if (this.#transaction) {
      const isFollowed = this.#subscriptions.of(part.sub).length > 0;
      if (this.#transaction.take(part, isFollowed)) return this.#finishTransaction();
      return this.#isTrouble("The server named a selection twice in one transaction.");
    }
    // The first that is said of a selection is as of no earlier than all that was said before; from
    // then on a value comes to hold a dispatch only together with its settlement.
    const first = this.#subscriptions.of(part.sub).filter((mirror) => !mirror.isAnswered);
    const { moved, relayed } = this.#apply(part);
    for (const mirror of first) mirror.include(this.acknowledged);
    this.#delegate.relay([relayed]);
    this.#reach(part.v);
    this.#announce(moved, this.#takeSettled());
    return true;
  }

  /** Makes all parts of a transaction and its settlements take effect when the last has come. */
  #finishTransaction() {
    const transaction = this.#transaction;
    if (!transaction?.isComplete) return true;
    this.#transaction = undefined;
    const applied = transaction.parts.map((part) => this.#apply(part));
    const moved = applied.flatMap(({ moved }) => moved);
    const { version: v, acked } = transaction;
    const parts = applied.map(({ relayed }) => relayed);
    this.#delegate.relay([{ op: "transaction", v, count: parts.length, acked }, ...parts]);
    const position = this.#reach(v);
    if (acked !== undefined) {
      this.#outbox.acknowledge(acked);
      const seq = Math.max(acked, this.acknowledged);
      this.#acknowledged = { seq, position };
    }
    // While outcomes wait for a mirror, the others have to show by themselves what they hold.
    const isHeldUp = this.#subscriptions.isAwaiting;
    for (const mirror of this.#subscriptions.all) {
      mirror.advance(position);
      const holdsMore = mirror.include(this.acknowledged);
      if (holdsMore && isHeldUp && !moved.includes(mirror)) moved.push(mirror);
    }
    this.#announce(moved, this.#takeSettled());
    return true;
  }

  /**
   * The mirrors that have moved, and what makes those of other tabs move.
   *
   * @param {Part} part
   * @returns {{ moved: readonly Mirror[], relayed: Part }}
   */
  #apply(part) {
    const { sub, v } = part;
    const epoch = this.position?.epoch ?? "";
    const parted = this.#parted?.sub === sub && this.#parted.isWhole ? this.#parted : undefined;
    if (!parted) return { moved: this.#subscriptions.apply(part, epoch), relayed: part };
    this.#parted = undefined;
    const snapshot = parted.snapshot(part);
    if (snapshot) this.#subscriptions.apply(snapshot, epoch);
    const moved = this.#subscriptions.apply(part, epoch);
    // Nobody else has its parts.
    const value = moved[0]?.value;
    return { moved, relayed: value === undefined ? part : { op: "snapshot", sub, v, value } };
  }

  // Values in parts: a whole one is what a resumed subscription has, the copy as of its version,
  // which counts when `current`, or a patch, goes on from there.

  /** @param {import("../wire/SnapshotPart.js").SnapshotPart} part */
  #takeParted(part) {
    if (this.phase !== "live" || !this.#takesParts) {
      return this.#isTrouble("The server hasn't said that it sends parts.");
    }
    if (this.#transaction) return this.#isTrouble("The server sent a part in a transaction.");
    if (part.offset === 0 && !this.#beginParted(part)) {
      return this.#isTrouble("The server began a value before the last had ended.");
    }
    if (!this.#parted) return this.#isTrouble("The server sent a part of nothing.");
    this.#parted.append(part);
    if (this.#parted.isComplete && !this.#parted.isWhole) this.#parted = undefined;
    return true;
  }

  /** @param {import("../wire/SnapshotPart.js").SnapshotPart} first */
  #beginParted(first) {
    if (this.#parted && !this.#parted.mayBeOver) return false;
    const { sub, bytes } = first;
    const fits = bytes <= this.largestValue;
    this.#parted = new PartedValue(first, fits && this.#subscriptions.of(sub).length > 0);
    if (fits) return true;
    const detail = `It has ${bytes} bytes; ${this.largestValue} are taken.`;
    const title = "The selection's value is larger than this client takes.";
    const rejection = new Rejection("too-large", title, detail);
    this.#announce(this.#subscriptions.refuse(sub, rejection), this.#takeSettled());
    return true;
  }

  /**
   * Whether a message of `sub` comes while its value is still coming.
   *
   * @param {number} sub
   */
  #isInterrupted(sub) {
    const parted = this.#parted;
    return parted?.sub === sub && !parted.isWhole && !parted.mayBeOver;
  }

  /**
   * The subscription has ended, or this client has said that it ends: its parts may be over.
   *
   * @param {number | undefined} sub
   */
  #endParted(sub) {
    if (sub === undefined || this.#parted?.sub !== sub) return;
    this.#parted.mayBeOver = true;
    if (!this.#subscriptions.mayFollow(sub)) this.#parted.discard();
  }

  /** @param {import("../wire/ServerFrame.js").Reject} reject */
  #rejected({ seq, code, title, detail, retryable, retryAfter = 1 }) {
    if (!retryable) {
      this.#delegate.relay([{ op: "reject", seq, code, title, detail, retryable }]);
      return this.#outbox.reject(seq, new Rejection(code, title, detail));
    }
    this.#outbox.goBack(seq);
    // One timer at a time, however often it is said.
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#delegate.core().held(Math.min(Math.max(retryAfter, 0.01), 3600));
  }

  /** @param {import("../wire/ServerFrame.js").ErrorFrame} error */
  #takeError({ code, title, detail, ref, seq }) {
    const rejection = new Rejection(code, title, detail);
    if (ref !== undefined) {
      this.#ended(this.#subscriptions.fail(ref, rejection));
      if (code === "forbidden") this.#delegate.forbidden();
    } else if (seq !== undefined || code === "malformed") {
      // What was in that frame never gets an outcome, and all that follows it neither.
      this.#delegate.core().refuse(rejection);
    } else {
      this.#delegate.trouble(`The server could not use a frame: ${rejection.message}`);
    }
  }

  /**
   * The server sends nothing more of mirrors that have failed.
   *
   * @param {readonly Mirror[]} failed
   */
  #ended(failed) {
    this.#announce(failed, this.#takeSettled());
    // One that never had a value was refused.
    this.#delegate.lapsed(failed.filter((mirror) => mirror.value !== undefined));
  }

  /** @param {number} version */
  #reach(version) {
    const position = { epoch: this.position?.epoch ?? "", version };
    this.position = later(this.position, position);
    return position;
  }

  /** The outcomes of what the server said to be settled, when every mirror shows it. */
  #takeSettled() {
    if (this.phase !== "live" || !this.#acknowledged || this.#subscriptions.isAwaiting) return [];
    return this.#outbox.settle(this.#acknowledged.seq, this.#acknowledged.position);
  }

  /**
   * Tells of mirrors that have moved and dispatches that have gone, then those who wait for the
   * outcomes: they find everything as it should be.
   *
   * @param {readonly Mirror[]} moved
   * @param {(() => void)[]} outcomes
   */
  #announce(moved, outcomes) {
    for (const mirror of moved) mirror.tell();
    if (moved.length > 0) this.#delegate.moved();
    if (outcomes.length > 0) this.#delegate.pendingChanged();
    for (const tell of outcomes) tell();
  }

  /** @param {string} message */
  #isTrouble(message) {
    this.#delegate.trouble(message);
    return false;
  }
}
