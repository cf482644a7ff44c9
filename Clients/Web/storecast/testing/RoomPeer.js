import { subprotocol } from "../wire/ClientFrame.js";
import { isEqualJSON } from "../wire/JSONValue.js";
import { stampId } from "../session/stampId.js";
import { difference } from "./difference.js";

/** @typedef {import("./TestRoom.js").TestRoom<any, any>} AnyTestRoom */
/** @typedef {import("../wire/ServerFrame.js").Identity} Identity */
/** @typedef {{ seq: number, code: string, title: string, detail: string | undefined }} Rejected */

/**
 * What a room remembers of a client, across its connections.
 *
 * @typedef {{ lastSeq: number, rejected: Rejected[] }} Account
 */

/**
 * @typedef {object} Subscription
 * @property {number} ref
 * @property {string} select
 * @property {unknown} params
 * @property {unknown} value  what the client has; undefined before it has anything
 * @property {number} v  as of where
 */

export const epoch = "00000000000000000000000000000001";
const limits = { message: 1 << 20, window: 1024, subscriptions: 256, depth: 64 };

/**
 * The room's end of one connection, which keeps to Docs/Protocol.md as a server does.
 */
export class RoomPeer {
  /** @type {Map<number, Subscription>} */
  #subscriptions = new Map();
  /** @type {Account} */
  #account = { lastSeq: 0, rejected: [] };
  #acked = 0;
  #client = "";
  #lastSub = 0;
  #room;
  #identity;
  #say;

  /**
   * @param {AnyTestRoom} room
   * @param {Identity} identity
   * @param {(frame: object) => void} say
   */
  constructor(room, identity, say) {
    this.#room = room;
    this.#identity = identity;
    this.#say = say;
  }

  /** @param {any} frame */
  take(frame) {
    switch (frame.op) {
      case "hello":
        return this.#greet(frame);
      case "subscribe":
        return this.#subscribe(frame);
      case "unsubscribe":
        for (const [sub, { ref }] of this.#subscriptions) {
          if (ref === frame.ref) this.#subscriptions.delete(sub);
        }
        return;
      case "dispatch":
        return this.#reduce(frame);
      case "ping":
        return this.#say({ op: "pong", v: this.#room.version });
    }
  }

  /** Tells what has changed since, all at once. */
  tell() {
    const { version: v } = this.#room;
    const { lastSeq, rejected } = this.#account;
    const parts = [...this.#subscriptions].flatMap((entry) => this.#part(...entry));
    for (const reject of rejected.filter(({ seq }) => seq > this.#acked)) {
      this.#say({ op: "reject", ...reject, retryable: false });
    }
    if (parts.length === 0 && lastSeq === this.#acked) return;
    const acked = lastSeq > this.#acked ? lastSeq : undefined;
    this.#acked = lastSeq;
    this.#say({ op: "transaction", v, count: parts.length, acked });
    for (const part of parts) this.#say(part);
  }

  /** @param {any} hello */
  #greet({ client, settled = 0 }) {
    const { version: v } = this.#room;
    this.#client = client;
    this.#account = this.#room.account(client);
    const { lastSeq } = this.#account;
    this.#acked = lastSeq;
    const rejected = this.#account.rejected.filter(({ seq }) => seq > settled);
    this.#account.rejected = rejected;
    const identity = this.#identity;
    const server = { server: "storecast/testing", heartbeat: 3600, limits, identity };
    this.#say({ op: "welcome", proto: 1, epoch, v, lastSeq, rejected, ...server });
  }

  /** @param {any} frame */
  #subscribe({ ref, select, params, at }) {
    const { version: v } = this.#room;
    try {
      const value = this.#room.value(select, params, this.#identity);
      this.#lastSub += 1;
      const sub = this.#lastSub;
      this.#subscriptions.set(sub, { ref, select, params, value, v });
      this.#say({ op: "subscribed", ref, sub, tag: "", bytes: 1 });
      // Nobody keeps what it was: where something may have changed, it is sent anew.
      if (at?.epoch === epoch && at.v === v) this.#say({ op: "current", sub, v });
      else this.#say({ op: "snapshot", sub, v, value });
    } catch (error) {
      this.#say({ op: "error", ref, ...this.#room.problem(error) });
    }
  }

  /** @param {any} frame */
  #reduce({ seq, action }) {
    if (seq <= this.#account.lastSeq) return;
    this.#account.lastSeq = seq;
    try {
      this.#room.reduce(action, { id: stampId(this.#client, seq), sender: this.#identity });
    } catch (error) {
      this.#account.rejected.push({ seq, ...this.#room.problem(error) });
    }
  }

  /**
   * What brings a subscription to the room's state.
   *
   * @param {number} sub
   * @param {Subscription} subscription
   */
  #part(sub, subscription) {
    const { select, params, value: before, v: from } = subscription;
    try {
      const value = this.#room.value(select, params, this.#identity);
      if (isEqualJSON(before, value)) return [];
      const v = this.#room.version;
      Object.assign(subscription, { value, v });
      return [{ op: "patch", sub, from, v, ops: difference(before, value) }];
    } catch (error) {
      this.#subscriptions.delete(sub);
      this.#say({ op: "lapse", sub, code: this.#room.problem(error).code });
      return [];
    }
  }
}

/**
 * The class of WebSockets that lead to a room, as long as there is a line.
 *
 * @param {AnyTestRoom} room
 * @param {Identity} identity
 * @param {Set<{ cut: () => void }>} sockets  those that are open
 * @param {() => boolean} isOnline
 */
export function socketClass(room, identity, sockets, isOnline) {
  return class {
    protocol = subprotocol;
    /** @type {((event: any) => void) | null} */
    onopen = null;
    /** @type {((event: any) => void) | null} */
    onmessage = null;
    /** @type {((event: any) => void) | null} */
    onclose = null;
    /** @type {((event: any) => void) | null} */
    onerror = null;
    isOpen = true;
    peer = new RoomPeer(room, identity, (frame) => this.#deliver(frame));

    constructor() {
      sockets.add(this);
      room.later(() => (isOnline() ? this.onopen?.({}) : this.cut()));
    }

    /** @param {string} text */
    send(text) {
      room.receive(() => {
        if (this.isOpen) [JSON.parse(text)].flat().forEach((frame) => this.peer.take(frame));
      });
    }

    close() {
      this.isOpen = false;
      sockets.delete(this);
    }

    /** The line is cut. */
    cut() {
      if (!this.isOpen) return;
      this.close();
      this.onclose?.({ code: 1006, reason: "The line is cut." });
    }

    /** @param {object} frame */
    #deliver(frame) {
      const data = JSON.stringify(frame);
      room.later(() => this.isOpen && this.onmessage?.({ data }));
    }
  };
}
