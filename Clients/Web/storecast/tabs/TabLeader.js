import { readDispatch } from "../outbox/StoredText.js";
import { spanOf, stored } from "../session/Entry.js";
import { Mirror } from "../session/Mirror.js";
import { Rejection } from "../wire/Rejection.js";

/** @typedef {import("../wire/ServerFrame.js").ServerFrame} ServerFrame */

/**
 * What a following tab asked for as `ref`.
 *
 * @typedef {{ mirror: Mirror, observer: () => void, at: any, isAnswered: boolean }} Followed
 */

/**
 * The tab that has the connection, for those that follow it. It follows for them what they mirror,
 * takes what they dispatch into the outbox, and tells them all that moves.
 *
 * What they dispatch is taken with the number with which it was made, or not at all: ids that
 * stand in later actions depend on it. When tabs dispatch at the same moment, all but one number
 * their actions anew and ask again.
 */
export class TabLeader {
  /** Aborted when this tab leads no more. */
  ending = new AbortController();

  /** @type {Map<string, { last: number, follows: Map<number, Followed> }>} */
  #tabs = new Map();
  /**
   * What the server has, or will have, an outcome for, that these tabs don't know yet.
   *
   * @type {Map<string, { n: number, seq: number }[]>}
   */
  #unheard = new Map();
  /** The last dispatch of which the tabs were told. */
  #told = 0;
  #tab;
  #parts;
  #ways;

  /**
   * @param {string} tab
   * @param {import("./Tabs.js").TabParts} parts
   * @param {{ post: (message: object) => void, watch: (tab: string) => void }} ways
   */
  constructor(tab, parts, ways) {
    this.#tab = tab;
    this.#parts = parts;
    this.#ways = ways;
  }

  /**
   * The outbox is open.
   *
   * @param {ReadonlySet<string>} gone  the tabs with dispatches in it that are there no more
   */
  begin(gone) {
    const { outbox } = this.#parts;
    outbox.inherit((tab) => gone.has(tab));
    for (const { tab, n, seq } of outbox.entries) {
      if (tab === undefined || n === undefined || tab === this.#tab || gone.has(tab)) continue;
      this.#await(tab, n, seq);
    }
    for (const tab of this.#unheard.keys()) this.#ways.watch(tab);
    outbox.heard = () =>
      Math.min(...[...this.#unheard.values()].map(([first]) => (first?.seq ?? Infinity) - 1));
    this.#told = outbox.lastSeq;
    this.#ways.post({ kind: "lead" });
  }

  /**
   * @param {string} tab
   * @param {number} n
   * @param {number} seq
   */
  #await(tab, n, seq) {
    const waiting = this.#unheard.get(tab) ?? [];
    this.#unheard.set(tab, waiting);
    waiting.push({ n, seq });
  }

  /** @param {any} message  of a tab */
  receive(message) {
    const { kind, from } = message;
    const { connection } = this.#parts;
    if (kind === "join") return this.#join(from, message.first);
    if (kind === "ping") return this.#ways.post({ kind: "here", to: from });
    if (kind === "reconnect") return connection.reconnect();
    if (kind === "network") return this.#parts.networkChanged();
    if (kind === "authenticate") return connection.authenticate(message.token);
    if (kind === "leave") return this.gone(from);
    if (!this.#tabs.has(from)) return;
    if (kind === "say") this.#hear(from, message.text);
    if (kind === "dispatch") this.#dispatch(from, message);
    if (kind === "heard") this.#heard(from, message.n);
  }

  // Tabs that come and go

  /**
   * @param {string} tab
   * @param {number} first  of the dispatches for whose outcome it waits
   */
  #join(tab, first) {
    const { outbox, session, connection } = this.#parts;
    if (this.#tabs.has(tab)) this.#unfollow(tab);
    else if (!this.#unheard.has(tab)) this.#ways.watch(tab);
    this.appended();
    this.#heard(tab, first - 1);
    const { contents } = outbox;
    const made = contents.dispatches.filter((dispatch) => dispatch.tab === tab).at(-1)?.n;
    this.#tabs.set(tab, { last: Math.max(first - 1, made ?? 0), follows: new Map() });
    const welcome = session.phase === "live" ? this.#welcome() : undefined;
    // While the server can't tell it, it has from this tab what this one has.
    const kept = welcome ? undefined : this.#parts.kept();
    const { status } = connection;
    this.#ways.post({ kind: "state", to: tab, contents, status, welcome, kept });
  }

  /** What the server has said to this tab, as of now. */
  #welcome() {
    const { outbox, session } = this.#parts;
    const { term, identity, heartbeat, position, acknowledged: lastSeq } = session;
    return {
      ...{ op: "welcome", proto: 1, server: "", heartbeat, limits: outbox.limits, lastSeq },
      ...{ epoch: position?.epoch ?? "", v: position?.version ?? 0, rejected: outbox.rejected },
      ...{ term, identity },
    };
  }

  /**
   * Nobody is there any more who waits for a tab's outcomes.
   *
   * @param {string} tab
   */
  gone(tab) {
    this.#unfollow(tab);
    this.#tabs.delete(tab);
    this.#unheard.delete(tab);
    this.#parts.outbox.inherit((other) => other === tab);
    this.#parts.scheduleFlush();
  }

  /**
   * @param {string} tab
   * @param {number} n  the outcomes of all that it has made up to this one are known there
   */
  #heard(tab, n) {
    const waiting = (this.#unheard.get(tab) ?? []).filter((dispatch) => dispatch.n > n);
    if (waiting.length > 0) this.#unheard.set(tab, waiting);
    else this.#unheard.delete(tab);
    this.#parts.scheduleFlush();
  }

  // Dispatches

  /**
   * @param {string} tab
   * @param {any} message
   */
  #dispatch(tab, { previous, dispatch }) {
    const known = this.#tabs.get(tab);
    const { n } = dispatch;
    // Each in its turn: those behind one that wasn't taken aren't, either.
    if (!known || !(n > known.last) || (previous !== 0 && previous !== known.last)) return;
    // What nobody could read would be the end of the outbox.
    const read = readDispatch({ ...dispatch, tab });
    try {
      const traceparent = spanOf(dispatch.traceparent);
      if (!this.#parts.outbox.takeFrom({ ...read, traceparent })) return;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const { code, title, detail } = error;
      return this.#ways.post({ kind: "refused", to: tab, n, rejection: { code, title, detail } });
    }
    known.last = n;
    this.#await(tab, n, dispatch.seq);
    this.#parts.pendingChanged();
    this.appended();
    this.#parts.scheduleFlush();
  }

  /** Tells of what the outbox has taken. */
  appended() {
    const { outbox } = this.#parts;
    for (const entry of outbox.after(this.#told)) {
      this.#ways.post({ kind: "taken", dispatch: stored(entry) });
    }
    this.#told = outbox.lastSeq;
  }

  // What tabs mirror

  /**
   * @param {string} tab
   * @param {string} text  frames as for a server
   */
  #hear(tab, text) {
    for (const frame of [JSON.parse(text)].flat()) {
      if (frame.op === "subscribe") this.#follow(tab, frame);
      if (frame.op === "unsubscribe") this.#release(tab, frame.ref);
    }
    this.#parts.scheduleFlush();
  }

  /**
   * @param {string} tab
   * @param {any} frame
   */
  #follow(tab, { ref, select, params, at }) {
    const mirror = this.#parts.session.follow(new Mirror(select, params));
    const observer = () => this.#answer(tab, ref);
    mirror.observers.add(observer);
    const follows = this.#tabs.get(tab)?.follows ?? new Map();
    // One that has lapsed isn't ended by the tab.
    for (const [other, followed] of follows) {
      if (followed.mirror === mirror) this.#release(tab, other);
    }
    follows.set(ref, { mirror, observer, at, isAnswered: false });
    this.#answer(tab, ref);
  }

  /**
   * Tells a tab what a selection is, as soon as that is known; from then on `relay` does.
   *
   * @param {string} tab
   * @param {number} ref
   */
  #answer(tab, ref) {
    const followed = this.#tabs.get(tab)?.follows.get(ref);
    if (!followed || followed.isAnswered) return;
    const { mirror, at } = followed;
    const { sub, content, isRefused, failure } = mirror;
    if (isRefused && failure) {
      followed.isAnswered = true;
      const { code, title, detail } = failure;
      return this.#say(tab, [{ op: "error", code, title, detail, ref }]);
    }
    if (!mirror.isLive || !content || sub === undefined) return;
    followed.isAnswered = true;
    const { value, position, since: v, tag } = content;
    const isSame = at?.epoch === position.epoch && at.tag === tag;
    const has = isSame && at.v >= v && at.v <= position.version;
    this.#say(tab, [
      { op: "subscribed", ref, sub, tag, bytes: 0 },
      has ? { op: "current", sub, v } : { op: "snapshot", sub, v, value },
    ]);
  }

  /**
   * @param {string} tab
   * @param {ServerFrame[]} frames
   */
  #say(tab, frames) {
    this.#ways.post({ kind: "frames", to: tab, frames });
  }

  /**
   * @param {string} tab
   * @param {number} ref
   */
  #release(tab, ref) {
    const { follows } = this.#tabs.get(tab) ?? {};
    const followed = follows?.get(ref);
    if (!follows || !followed) return;
    follows.delete(ref);
    followed.mirror.observers.delete(followed.observer);
    this.#parts.session.release(followed.mirror);
  }

  /** @param {string} tab */
  #unfollow(tab) {
    for (const ref of this.#tabs.get(tab)?.follows.keys() ?? []) this.#release(tab, ref);
  }

  /** @param {ServerFrame[]} frames  for all of them, together */
  relay(frames) {
    if (this.#tabs.size > 0) this.#ways.post({ kind: "frames", frames });
  }

  statusChanged() {
    const { status } = this.#parts.connection;
    if (status.state === "live") this.#ways.post({ kind: "lead" });
    else if (status.state !== "closed") this.#ways.post({ kind: "status", status });
  }

  /** This tab doesn't lead any more. */
  stop() {
    this.ending.abort();
    for (const tab of this.#tabs.keys()) this.#unfollow(tab);
    this.#tabs.clear();
    this.#parts.outbox.heard = () => Infinity;
  }
}
