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
export function openedAgain(head: unknown, values: unknown[], newClient: () => string): StoredClient & {
    wasOpened: boolean;
    dispatches: StoredDispatch[];
};
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
