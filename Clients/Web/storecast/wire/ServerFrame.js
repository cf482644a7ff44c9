import { FrameError } from "./FrameError.js";
import { readJSON } from "./JSONText.js";
import { isObject } from "./JSONValue.js";

/**
 * A rejection as `welcome` and `reject` tell it.
 *
 * @typedef {object} Rejected
 * @property {number} seq
 * @property {string} code
 * @property {string} title
 * @property {string} [detail]
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
/** @typedef {{ op: "transaction", v: number, count: number, acked?: number }} Transaction */
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
 * @property {string} [detail]
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

/** @typedef {(value: unknown) => boolean} Check */

/**
 * 0 … 2^53 − 1.
 *
 * @type {Check}
 */
const integer = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @type {Check} */
const number = (value) => typeof value === "number";
/** @type {Check} */
const string = (value) => typeof value === "string";
/** @type {Check} */
const boolean = (value) => typeof value === "boolean";
/** @type {Check} */
const anything = () => true;
/** @type {Check} */
const operations = (value) => Array.isArray(value) && value.length > 0;
/** @type {Check} */
const limits = (value) =>
  isObject(value) &&
  ["message", "window", "subscriptions", "depth"].every((name) => integer(value[name]));
/** @type {Check} */
const identity = (value) =>
  isObject(value) && string(value.id) && Array.isArray(value.roles) && value.roles.every(string);
/** @type {Check} */
const rejected = (value) =>
  Array.isArray(value) &&
  value.every((reject) => isObject(reject) && problem(reject, rejection) === undefined);

/**
 * The members that a frame must have, and those that it may have.
 *
 * @typedef {Record<string, Check>[]} Shape
 */

/** @type {Shape} */
const rejection = [{ seq: integer, code: string, title: string }, { detail: string }];

/** @type {Map<string, Shape>} */
const shapes = new Map(
  Object.entries({
    welcome: [
      {
        proto: integer,
        epoch: string,
        v: integer,
        lastSeq: integer,
        heartbeat: integer,
        limits,
        server: string,
      },
      { term: string, rejected, identity, parts: integer },
    ],
    subscribed: [{ ref: integer, sub: integer, tag: string, bytes: integer }],
    snapshot: [{ sub: integer, v: integer, value: anything }],
    patch: [{ sub: integer, from: integer, v: integer, ops: operations }],
    current: [{ sub: integer, v: integer }],
    transaction: [{ v: integer, count: integer }, { acked: integer }],
    reject: [
      { seq: integer, code: string, title: string, retryable: boolean },
      { detail: string, retryAfter: number },
    ],
    lapse: [{ sub: integer, code: string }],
    error: [
      { code: string, title: string },
      { detail: string, ref: integer, seq: integer, index: integer },
    ],
    pong: [{ v: integer }],
    term: [{ term: string }],
    renew: [{ within: number }],
    bye: [{ code: string, title: string, reconnect: boolean, after: number, jitter: number }],
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
  const wrong = problem(frame, shape);
  if (wrong) throw new FrameError("invalid-frame", `'${wrong[0]}' of '${op}' ${wrong[1]}.`);
  return /** @type {ServerFrame} */ (/** @type {unknown} */ (frame));
}

/**
 * The first member that isn't as it must be, and what is wrong with it.
 *
 * @param {Record<string, unknown>} frame
 * @param {Shape} shape
 */
function problem(frame, [required, optional = {}]) {
  for (const [name, check] of Object.entries(required ?? {})) {
    if (!Object.hasOwn(frame, name)) return [name, "is missing"];
    if (!check(frame[name])) return [name, "is of the wrong type"];
  }
  for (const [name, check] of Object.entries(optional)) {
    if (Object.hasOwn(frame, name) && !check(frame[name])) return [name, "is of the wrong type"];
  }
  return undefined;
}
