import { stored } from "../session/Entry.js";
import { Rejection } from "../wire/Rejection.js";

/** @typedef {import("../connection/Status.js").Status} Status */

/** How long the tab that leads may take to answer, in milliseconds, and a little more by chance. */
const patience = 4000;
/** How often a tab asks whether it is there. */
const interval = 5000;

/**
 * A tab's connection by way of the tab that leads, in the place of `ConnectionCore`.
 *
 * Its session is told what the leader's is told, so that its mirrors move by themselves. Its outbox
 * is a copy of the leader's, and behind it what the leader has yet to take: that is said again
 * until the leader has it.
 */
export class TabFollower {
  /** @type {Status} */
  status = { state: "connecting" };

  #isJoined = false;
  /** The last dispatch of which the leader was told, and the last whose outcome it was told of. */
  #told = { n: 0, heard: 0 };
  #isFlushing = false;
  #isOver = false;
  /** @type {unknown} */
  #waiting;
  /** @type {unknown} */
  #pinging;
  #tab;
  #parts;
  #ways;
  #unwatch;

  /**
   * @param {string} tab
   * @param {import("./Tabs.js").TabParts} parts
   * @param {{ post: (message: object) => void, silent: () => void }} ways
   */
  constructor(tab, parts, ways) {
    this.#tab = tab;
    this.#parts = parts;
    this.#ways = ways;
    // Timers of a tab in the background may wait for minutes: one that is seen asks for it.
    this.#unwatch = parts.platform.watchNetwork(() => ways.post({ kind: "network" }));
  }

  /** Asks the leader how things stand; it may be that there is none yet. */
  join() {
    const first = this.#parts.outbox.firstWaiting;
    this.#isJoined = false;
    this.#told = { n: 0, heard: first - 1 };
    this.#ask({ kind: "join", first });
    this.#parts.platform.clearTimeout(this.#pinging);
    this.#ping();
  }

  #ping() {
    this.#pinging = this.#parts.platform.setTimeout(() => {
      this.#ask({ kind: "ping" });
      this.#ping();
    }, interval);
  }

  /**
   * Says something that is answered.
   *
   * @param {object} message
   */
  #ask(message) {
    const { setTimeout, random } = this.#parts.platform;
    this.#ways.post(message);
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      this.#ways.silent();
    }, patience * (1 + random() / 2));
  }

  /** @param {any} message  of a tab */
  receive(message) {
    if (this.#isOver) return;
    const isLeaders = message.opening !== undefined || message.kind === "coming";
    if (!isLeaders) return;
    this.#parts.platform.clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (message.kind === "lead") return this.join();
    if (message.kind === "state") this.#joined(message);
    else if (this.#isJoined) this.#take(message);
    if (this.#isJoined) this.scheduleFlush();
  }

  /** @param {any} state */
  #joined({ contents, status, welcome, kept }) {
    const { outbox, session, restore, pendingChanged } = this.#parts;
    session.disconnected();
    outbox.open(contents, true);
    this.#isJoined = true;
    restore(kept);
    pendingChanged();
    if (!welcome) return this.#setStatus(status);
    session.connected(undefined);
    if (!session.take([welcome])) this.join();
  }

  /** @param {any} message */
  #take(message) {
    const { outbox, session, pendingChanged } = this.#parts;
    switch (message.kind) {
      case "frames":
        if (!session.take(message.frames)) this.join();
        break;
      case "taken":
        if (!outbox.taken(message.dispatch)) return this.join();
        // It is told anew what now has another number.
        if (message.dispatch.tab !== this.#tab) this.#told.n = 0;
        pendingChanged();
        break;
      case "refused": {
        const { code, title, detail } = message.rejection;
        outbox.refused(message.n, new Rejection(code, title, detail));
        pendingChanged();
        break;
      }
      case "status":
        session.disconnected();
        this.#setStatus(message.status);
    }
  }

  // As a connection's core

  /** Connects at once, if the leader waits to try again. */
  reconnect() {
    this.#ways.post({ kind: "reconnect" });
  }

  /** @param {string} token */
  authenticate(token) {
    this.#ways.post({ kind: "authenticate", token });
  }

  /** Says what is to be said behind all that is being asked for now. */
  scheduleFlush() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => {
      this.#isFlushing = false;
      if (this.#isJoined && !this.#isOver) this.#flush();
    });
  }

  #flush() {
    const { session, outbox } = this.#parts;
    for (let text = session.nextMessage(); text !== undefined; text = session.nextMessage()) {
      this.#ways.post({ kind: "say", text });
    }
    let previous = 0;
    for (const entry of outbox.untaken) {
      const { n = 0, traceparent } = entry;
      const dispatch = { ...stored(entry), traceparent };
      if (n > this.#told.n) this.#ask({ kind: "dispatch", previous, dispatch });
      this.#told.n = Math.max(this.#told.n, n);
      previous = n;
    }
    const heard = outbox.firstWaiting - 1;
    if (heard === this.#told.heard) return;
    this.#told.heard = heard;
    this.#ways.post({ kind: "heard", n: heard });
  }

  welcomed() {
    this.#setStatus({ state: "live" });
  }

  /** The session can't use what the leader says: begins anew. */
  refuse() {
    this.join();
  }

  // Only the leader hears of these.
  held() {}
  renew() {}
  bye() {}

  /** Ends the connection, for good. */
  close() {
    this.stop();
    this.#setStatus({ state: "closed" });
  }

  /** This tab doesn't follow any more. */
  stop() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isJoined = false;
    this.#unwatch();
    this.#parts.platform.clearTimeout(this.#waiting);
    this.#parts.platform.clearTimeout(this.#pinging);
    this.#parts.session.disconnected();
  }

  /** @param {Status} status */
  #setStatus(status) {
    this.status = status;
    this.#parts.changed();
  }
}
