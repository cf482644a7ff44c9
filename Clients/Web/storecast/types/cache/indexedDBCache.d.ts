/** @typedef {import("./CacheStorage.js").CacheStorage} CacheStorage */
/**
 * A cache's storage in the browser's IndexedDB.
 *
 * @param {object} [parts]
 * @param {IDBFactory} [parts.indexedDB]
 * @returns {CacheStorage}
 */
export function indexedDBCache(parts?: {
    indexedDB?: IDBFactory | undefined;
} | undefined): CacheStorage;
export type CacheStorage = import("./CacheStorage.js").CacheStorage;
