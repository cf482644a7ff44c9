import { isCount, object, string } from "../wire/Shape.js";

/** @typedef {import("./OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {{ client: string, settled: number, opening: number }} StoredClient */

/**
 * What is in an outbox that is opened once more, from what a storage held; in a new one, if that is
 * nothing.
 *
 * @param {unknown} head  whose it is; undefined for nothing
 * @param {unknown[]} values  the dispatches, in any order
 * @param {() => string} newClient
 * @returns {StoredClient & { wasOpened: boolean, dispatches: StoredDispatch[] }}
 * @throws {Error} if it can't be read
 */
export function openedAgain(head, values, newClient) {
  const isNew = head === undefined && values.length === 0;
  const found = isNew ? { client: newClient(), settled: 0, opening: 0 } : readClient(head);
  const dispatches = readDispatches(values, found.settled);
  return { ...found, opening: found.opening + 1, wasOpened: !isNew, dispatches };
}

/**
 * Whose an outbox is, from what a storage held.
 *
 * @param {unknown} value
 * @returns {StoredClient}
 * @throws {Error} if it isn't that
 */
export function readClient(value) {
  if (!isClient(value)) throw new Error("The outbox can't be read.");
  const { client, settled, opening } = /** @type {StoredClient} */ (value);
  return { client, settled, opening: isCount(opening) ? opening : 0 };
}

const isClient = object({
  client: (id) => typeof id === "string" && /^[A-Za-z0-9_-]{16,64}$/.test(id),
  settled: isCount,
});

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
  if (!isDispatch(value)) throw new Error("A dispatch in the outbox can't be read.");
  const { seq, base, epoch, action, tab, n } = /** @type {StoredDispatch} */ (value);
  const isTabs = typeof tab === "string" && isCount(n);
  return { seq, base, epoch, action, ...(isTabs ? { tab, n } : {}) };
}

const isDispatch = object({
  seq: isCount,
  base: isCount,
  epoch: string,
  action: (text) => typeof text === "string" && string(JSON.parse(text).type),
});
