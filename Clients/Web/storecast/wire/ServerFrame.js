import { FrameError } from "./FrameError.js";
import { readJSON } from "./JSONText.js";
import { isObject } from "./JSONValue.js";
import {
  boolean,
  isCount,
  list,
  misfit,
  number,
  object,
  optional,
  string,
} from "./Shape.js";

/**
 * A rejection as `welcome` and `reject` tell it.
 *
 * @typedef {object} Rejected
 * @property {number} seq
 * @property {string} code
 * @property {string} title
 * @property {string | undefined} [detail]
 */

/**
 * Whom a server takes its client for; `id` is empty for everybody who is anonymous.
 *
 * @typedef {{ readonly id: string, readonly roles: readonly string[] }} Identity
 */

/** @typedef {{ message: number, window: number, subscriptions: number, depth: number }} Limits */

/**
 * @typedef {object} Welcome
 * @property {"welcome"} op
 * @property {number} proto
 * @property {string} epoch
 * @property {number} v
 * @property {string} [term]  in which term that is, if the room has terms
 * @property {number} lastSeq
 * @property {Rejected[]} [rejected]
 * @property {number} heartbeat
 * @property {Limits} limits
 * @property {string} server
 * @property {Identity} [identity]  who the client is, if the server says it
 * @property {number} [parts]  the form in which large values come in parts
 */

/**
 * @typedef {{ op: "subscribed", ref: number, sub: number, tag: string, bytes: number }} Subscribed
 */
/** @typedef {{ op: "snapshot", sub: number, v: number, value: unknown }} Snapshot */
/** @typedef {{ op: "patch", sub: number, from: number, v: number, ops: unknown[] }} Patch */
/** @typedef {{ op: "current", sub: number, v: number }} Current */
/**
 * @typedef {{ op: "transaction", v: number, count: number, acked?: number | undefined }
 * } Transaction
 */
/** @typedef {{ op: "reject", retryable: boolean, retryAfter?: number } & Rejected} Reject */
/** @typedef {{ op: "lapse", sub: number, code: string }} Lapse */
/** @typedef {{ op: "pong", v: number }} Pong */
/** @typedef {{ op: "term", term: string }} Term */
/** @typedef {{ op: "renew", within: number }} Renew */

/**
 * @typedef {object} ErrorFrame
 * @property {"error"} op
 * @property {string} code
 * @property {string} title
 * @property {string | undefined} [detail]
 * @property {number} [ref]
 * @property {number} [seq]
 * @property {number} [index]
 */

/**
 * @typedef {object} Bye
 * @property {"bye"} op
 * @property {string} code
 * @property {string} title
 * @property {boolean} reconnect
 * @property {number} after
 * @property {number} jitter
 */

/**
 * What changes a mirror.
 *
 * @typedef {Snapshot | Patch | Current} Part
 */

/** @typedef {Welcome | Subscribed | Part | Transaction | Reject} CommonFrame */
/** @typedef {CommonFrame | Lapse | ErrorFrame | Pong | Term | Renew | Bye} ServerFrame */

const problem = { code: string, title: string, detail: optional(string) };
const rejection = { seq: isCount, ...problem };
const limits = { message: isCount, window: isCount, subscriptions: isCount, depth: isCount };

/** @type {Map<string, import("./Shape.js").Shape>} */
const shapes = new Map(
  Object.entries({
    welcome: {
      proto: isCount,
      epoch: string,
      v: isCount,
      term: optional(string),
      lastSeq: isCount,
      rejected: optional(list(object(rejection))),
      heartbeat: isCount,
      limits: object(limits),
      server: string,
      identity: optional(object({ id: string, roles: list(string) })),
      parts: optional(isCount),
    },
    subscribed: { ref: isCount, sub: isCount, tag: string, bytes: isCount },
    snapshot: { sub: isCount, v: isCount, value: (value) => value !== undefined },
    patch: {
      sub: isCount,
      from: isCount,
      v: isCount,
      ops: (ops) => Array.isArray(ops) && ops.length > 0,
    },
    current: { sub: isCount, v: isCount },
    transaction: { v: isCount, count: isCount, acked: optional(isCount) },
    reject: { ...rejection, retryable: boolean, retryAfter: optional(number) },
    lapse: { sub: isCount, code: string },
    error: {
      ...problem,
      ref: optional(isCount),
      seq: optional(isCount),
      index: optional(isCount),
    },
    pong: { v: isCount },
    term: { term: string },
    renew: { within: number },
    bye: { code: string, title: string, reconnect: boolean, after: number, jitter: number },
  }),
);

/**
 * Reads a message of the server's; undefined for an op of a later version, which is passed over.
 *
 * @param {string} text
 * @returns {ServerFrame | undefined}
 * @throws {FrameError} if it is no frame
 */
export function readServerFrame(text) {
  const frame = readJSON(text);
  if (!isObject(frame)) throw new FrameError("invalid-frame", "A frame must be an object.");
  const { op } = frame;
  if (typeof op !== "string") throw new FrameError("invalid-frame", "'op' must be a string.");
  const shape = shapes.get(op);
  if (!shape) return undefined;
  const wrong = misfit(frame, shape);
  if (wrong) throw new FrameError("invalid-frame", `'${wrong}' of '${op}' isn't what it must be.`);
  return /** @type {ServerFrame} */ (/** @type {unknown} */ (frame));
}
