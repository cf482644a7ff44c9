/** @typedef {import("./Action.js").Action} Action */
/** @typedef {import("./Position.js").Position} Position */
/** @typedef {import("../outbox/OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {import("../wire/Rejection.js").Rejection} Rejection */

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
 * @property {string} [tab]  the tab that made it, if tabs share the outbox
 * @property {number} [n]  counts what that tab made
 * @property {boolean} isOurs  this program is the one to be told of a rejection
 */

/**
 * A dispatch as it is kept.
 *
 * @param {Entry} entry
 * @returns {StoredDispatch}
 */
export function stored({ seq, base, epoch, text, tab, n }) {
  return { seq, base, epoch, action: text, ...(tab === undefined ? {} : { tab, n }) };
}

/**
 * A dispatch that was kept, for which nobody here waits.
 *
 * @param {StoredDispatch} stored
 * @returns {Entry}
 */
export function opened({ seq, base, epoch, action: text, tab, n }) {
  const ignore = () => {};
  const isOurs = tab === undefined;
  const action = JSON.parse(text);
  return { seq, base, epoch, text, action, tab, n, isOurs, resolve: ignore, reject: ignore };
}

/**
 * What only the program knows that made a dispatch.
 *
 * @param {Entry} entry
 */
export function outcomeOf({ resolve, reject, traceparent, isOurs }) {
  return { resolve, reject, traceparent, isOurs };
}

/**
 * What a dispatch belongs to, if it is written as the field `traceparent` is.
 *
 * @param {unknown} text
 */
export function spanOf(text) {
  return typeof text === "string" && /^[\da-f-]{1,64}$/.test(text) ? text : undefined;
}

/**
 * An action's text that names by new ids what has got them.
 *
 * @param {string} text
 * @param {Map<string, string>} ids
 */
export function renamed(text, ids) {
  if (ids.size === 0) return text;
  return text.replace(/(?<![0-9a-z])[0-9a-v]{26}(?![0-9a-z])/g, (id) => ids.get(id) ?? id);
}
