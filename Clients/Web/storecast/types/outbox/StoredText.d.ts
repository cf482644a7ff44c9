/** @typedef {import("./OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {{ client: string, settled: number, opening: number }} StoredClient */
/**
 * Whose an outbox is, from what a storage held.
 *
 * @param {unknown} value
 * @returns {StoredClient}
 * @throws {Error} if it isn't that
 */
export function readClient(value: unknown): StoredClient;
/**
 * The dispatches behind `settled`, from what a storage held in any order.
 *
 * @param {unknown[]} values
 * @param {number} settled
 * @returns {StoredDispatch[]}
 * @throws {Error} if they aren't that, or not all of them
 */
export function readDispatches(values: unknown[], settled: number): StoredDispatch[];
/**
 * A dispatch, from what a storage held or another tab says.
 *
 * @param {unknown} value
 * @returns {StoredDispatch}
 * @throws {Error} if it isn't one
 */
export function readDispatch(value: unknown): StoredDispatch;
export type StoredDispatch = import("./OutboxStorage.js").StoredDispatch;
export type StoredClient = {
    client: string;
    settled: number;
    opening: number;
};
