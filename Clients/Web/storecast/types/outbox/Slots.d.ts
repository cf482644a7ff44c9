/** @typedef {import("./OutboxStorage.js").OpenOutbox} OpenOutbox */
/**
 * As much of the Web Locks API as is used.
 *
 * @typedef {object} Locks
 * @property {(name: string, options: { ifAvailable?: boolean, steal?: boolean,
 *     signal?: AbortSignal }, held: (lock: unknown) => unknown) => Promise<unknown>} request
 */
/**
 * The names of a room's slots: as many as tabs of a browser can keep dispatches of it.
 *
 * @param {string} outbox
 * @param {string} url
 */
export function slotsOf(outbox: string, url: string): string[];
/**
 * Opens the first outbox that no other tab has open.
 *
 * Two tabs can't share one: they would number their dispatches alike. So each has its own, from a
 * row of slots; what a closed tab has left is sent by the next one that takes its slot, which is
 * looked for first.
 *
 * @param {Locks | undefined} locks
 * @param {string[]} names  of the slots
 * @param {string[]} used  the names of those with dispatches
 * @param {(name: string) => Promise<OpenOutbox>} open
 * @returns {Promise<OpenOutbox>}
 */
export function openFree(locks: Locks | undefined, names: string[], used: string[], open: (name: string) => Promise<OpenOutbox>): Promise<OpenOutbox>;
export type OpenOutbox = import("./OutboxStorage.js").OpenOutbox;
/**
 * As much of the Web Locks API as is used.
 */
export type Locks = {
    request: (name: string, options: {
        ifAvailable?: boolean;
        steal?: boolean;
        signal?: AbortSignal;
    }, held: (lock: unknown) => unknown) => Promise<unknown>;
};
