import { isObject } from "../wire/JSONValue.js";

/** @typedef {import("./OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {{ client: string, settled: number, opening: number }} StoredClient */

/**
 * Whose an outbox is, from what a storage held.
 *
 * @param {unknown} value
 * @returns {StoredClient}
 * @throws {Error} if it isn't that
 */
export function readClient(value) {
  if (
    isObject(value) &&
    typeof value.client === "string" &&
    /^[A-Za-z0-9_-]{16,64}$/.test(value.client) &&
    isCount(value.settled)
  ) {
    const opening = isCount(value.opening) ? value.opening : 0;
    return { client: value.client, settled: value.settled, opening };
  }
  throw new Error("The outbox can't be read.");
}

/**
 * The dispatches behind `settled`, from what a storage held in any order.
 *
 * @param {unknown[]} values
 * @param {number} settled
 * @returns {StoredDispatch[]}
 * @throws {Error} if they aren't that, or not all of them
 */
export function readDispatches(values, settled) {
  const dispatches = values
    .map(readDispatch)
    .filter(({ seq }) => seq > settled)
    .sort((one, other) => one.seq - other.seq);
  if (dispatches.some(({ seq }, place) => seq !== settled + 1 + place)) {
    throw new Error("The outbox isn't whole.");
  }
  return dispatches;
}

/**
 * A dispatch, from what a storage held or another tab says.
 *
 * @param {unknown} value
 * @returns {StoredDispatch}
 * @throws {Error} if it isn't one
 */
export function readDispatch(value) {
  if (
    isObject(value) &&
    isCount(value.seq) &&
    isCount(value.base) &&
    typeof value.epoch === "string" &&
    typeof value.action === "string" &&
    typeof JSON.parse(value.action).type === "string"
  ) {
    const { seq, base, epoch, action, tab, n } = value;
    const isTabs = typeof tab === "string" && isCount(n);
    return { seq, base, epoch, action, ...(isTabs ? { tab, n } : {}) };
  }
  throw new Error("A dispatch in the outbox can't be read.");
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
