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
  /**
   * A transaction may end with the turn in which it began: nothing is waited for in between.
   *
   * @template Value
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => Promise<Value>} work
   */
  const perform = async (mode, work) => {
    /** @type {IDBTransaction} */
    let transaction;
    try {
      transaction = (await open()).transaction("mirrors", mode);
    } catch {
      // The browser has closed it, as Safari does of pages in the background; or couldn't open it.
      opening = undefined;
      transaction = (await open()).transaction("mirrors", mode);
    }
    return work(transaction);
  };
  const change = (/** @type {(mirrors: IDBObjectStore) => void} */ make) =>
    perform("readwrite", (transaction) => {
      make(transaction.objectStore("mirrors"));
      // A page that is being left hears of nothing that it would have to hear first.
      transaction.commit();
      return completion(transaction);
    });
  return {
    get: (key) =>
      perform("readonly", (transaction) => result(transaction.objectStore("mirrors").get(key))),
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
