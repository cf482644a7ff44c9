/**
 * Keeps dispatches in the browser's IndexedDB: as many as an outbox takes, on the disk before they
 * are sent, and those that were dispatched together with one wait for the disk.
 *
 * Two people who use one browser need outboxes of different names.
 *
 * @param {string} [name]
 * @param {object} [parts]
 * @param {IDBFactory} [parts.indexedDB]
 * @param {import("./Slots.js").Locks} [parts.locks]
 * @returns {OutboxStorage}
 */
export function indexedDBOutbox(name?: string | undefined, parts?: {
    indexedDB?: IDBFactory | undefined;
    locks?: import("./Slots.js").Locks | undefined;
} | undefined): OutboxStorage;
export type OpenOutbox = import("./OutboxStorage.js").OpenOutbox;
export type OutboxStorage = import("./OutboxStorage.js").OutboxStorage;
