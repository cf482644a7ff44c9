/** @typedef {import("./OutboxStorage.js").OpenOutbox} OpenOutbox */
/** @typedef {import("./OutboxStorage.js").OutboxStorage} OutboxStorage */
/**
 * Keeps dispatches in the browser's `localStorage`: at once, and as few as fit in 5 MB or so, all
 * of the site's together. They survive the page; what a crash of the whole browser leaves of the
 * last seconds is up to the browser, and said by the outcome `outcome-unknown` if it matters.
 *
 * Two people who use one browser need outboxes of different names.
 *
 * @param {string} [name]
 * @param {object} [parts]
 * @param {Storage} [parts.storage]
 * @param {import("./Slots.js").Locks} [parts.locks]
 * @returns {OutboxStorage}
 */
export function localStorageOutbox(name?: string | undefined, parts?: {
    storage?: Storage | undefined;
    locks?: import("./Slots.js").Locks | undefined;
} | undefined): OutboxStorage;
export type OpenOutbox = import("./OutboxStorage.js").OpenOutbox;
export type OutboxStorage = import("./OutboxStorage.js").OutboxStorage;
