import { completion, result } from "../storage/IndexedDB.js";

/** @typedef {import("./CacheStorage.js").CacheStorage} CacheStorage */

/**
 * A cache's storage in the browser's IndexedDB.
 *
 * @param {object} [parts]
 * @param {IDBFactory} [parts.indexedDB]
 * @returns {CacheStorage}
 */
export function indexedDBCache(parts = {}) {
  /** @type {Promise<IDBDatabase> | undefined} */
  let opening;
  const open = () => (opening ??= openDatabase(parts.indexedDB ?? globalThis.indexedDB));
  const begin = async (/** @type {IDBTransactionMode} */ mode) => {
    try {
      return (await open()).transaction("mirrors", mode);
    } catch {
      // The browser has closed it, as Safari does of pages in the background; or couldn't open it.
      opening = undefined;
      return (await open()).transaction("mirrors", mode);
    }
  };
  const change = async (/** @type {(mirrors: IDBObjectStore) => void} */ make) => {
    const transaction = await begin("readwrite");
    make(transaction.objectStore("mirrors"));
    await completion(transaction);
  };
  return {
    get: async (key) => {
      const transaction = await begin("readonly");
      return result(transaction.objectStore("mirrors").get(key));
    },
    set: (key, value) => change((mirrors) => mirrors.put(value, key)),
    delete: (key) => change((mirrors) => mirrors.delete(key)),
  };
}

/**
 * A database of its own: one that has to become a newer one waits for every tab that has it open.
 *
 * @param {IDBFactory} factory
 * @returns {Promise<IDBDatabase>}
 */
function openDatabase(factory) {
  const request = factory.open("storecast-cache", 1);
  request.onupgradeneeded = () => void request.result.createObjectStore("mirrors");
  return result(request);
}
