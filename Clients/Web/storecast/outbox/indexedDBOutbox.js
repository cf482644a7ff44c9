import { completion, result } from "../storage/IndexedDB.js";
import { openFree, slotsOf } from "./Slots.js";
import { openedAgain } from "./StoredText.js";

/** @typedef {import("./OutboxStorage.js").OpenOutbox} OpenOutbox */
/** @typedef {import("./OutboxStorage.js").OutboxStorage} OutboxStorage */

/** A crash can't undo what is written so. */
const strict = /** @type {const} */ ({ durability: "strict" });

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
export function indexedDBOutbox(name = "outbox", parts = {}) {
  const openAgain = async () => openDatabase(parts.indexedDB ?? globalThis.indexedDB);
  return {
    open: async (url, newClient) => {
      const database = await openAgain();
      const locks = parts.locks ?? globalThis.navigator?.locks;
      const names = slotsOf(name, url);
      return closing(database, async () => {
        const used = await usedSlots(database, names);
        return openFree(locks, names, used, (slot) => open(database, slot, newClient, openAgain));
      });
    },
    shared: (url) => {
      const slot = `storecast ${name} tabs ${url}`;
      // While a tab waits for its locks: most often it is the only one, and is going to lead.
      /** @type {Promise<IDBDatabase> | undefined} */
      let opened = openAgain();
      opened.catch(() => {});
      return {
        name: slot,
        open: async (newClient, lost) => {
          const openIn = (/** @type {IDBDatabase} */ database) =>
            closing(database, () => open(database, slot, newClient, openAgain, lost));
          const first = opened;
          opened = undefined;
          try {
            if (first) return await openIn(await first);
          } catch {
            // The browser may have closed it while another tab led.
          }
          return openIn(await openAgain());
        },
        close: () => {
          opened?.then((database) => database.close()).catch(() => {});
          opened = undefined;
        },
      };
    },
  };
}

/**
 * @param {IDBFactory} factory
 * @returns {Promise<IDBDatabase>}
 */
function openDatabase(factory) {
  const request = factory.open("storecast", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("clients");
    request.result.createObjectStore("dispatches");
  };
  return result(request);
}

/**
 * What is opened in a database, which is closed if that can't be: nobody could delete it.
 *
 * @param {IDBDatabase} database
 * @param {() => Promise<OpenOutbox>} work
 */
async function closing(database, work) {
  try {
    return await work();
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * @param {IDBDatabase} database
 * @param {string[]} names
 */
async function usedSlots(database, names) {
  const dispatches = database.transaction("dispatches").objectStore("dispatches");
  const counts = await Promise.all(names.map((slot) => result(dispatches.count(range(slot)))));
  return names.filter((_, place) => Number(counts[place]) > 0);
}

/**
 * @param {IDBDatabase} database
 * @param {string} slot
 * @param {() => string} newClient
 * @param {() => Promise<IDBDatabase>} openAgain
 * @param {() => void} [lost]  given if another tab may open it later; called when something was to
 *     be written after that, and wasn't
 * @returns {Promise<OpenOutbox>}
 */
async function open(database, slot, newClient, openAgain, lost) {
  // By how often it was opened the server tells which of a client's connections is the newer one:
  // a crash of the machine may not undo that either.
  const transaction = database.transaction(["clients", "dispatches"], "readwrite", strict);
  const [head, values] = await Promise.all([
    result(transaction.objectStore("clients").get(slot)),
    result(transaction.objectStore("dispatches").getAll(range(slot))),
  ]);
  const contents = openedAgain(head, values, newClient);
  const { client, settled, opening } = contents;
  // In the transaction that has read it: what another tab writes was read, or isn't written.
  transaction.objectStore("clients").put({ client, settled, opening }, slot);
  let isKept = true;
  try {
    await completion(transaction);
  } catch (error) {
    // There may be no room for it, and dispatches to be sent all the same.
    if (lost) throw error;
    isKept = false;
  }
  /** @param {import("./OutboxStorage.js").OutboxChange} change */
  const write = (change) => {
    const writing = database.transaction(["clients", "dispatches"], "readwrite", strict);
    const clients = writing.objectStore("clients");
    const dispatches = writing.objectStore("dispatches");
    if (lost) {
      const last = clients.get(slot);
      last.onsuccess = () => {
        if (last.result?.opening === opening) return;
        writing.abort();
        lost();
      };
    }
    for (const dispatch of change.dispatches) dispatches.put(dispatch, [slot, dispatch.seq]);
    dispatches.delete(range(slot, change.settled));
    clients.put({ client, settled: change.settled, opening }, slot);
    return completion(writing);
  };
  let isClosed = false;
  return {
    contents: { ...contents, opening: isKept ? opening : undefined },
    write: async (change) => {
      try {
        return await write(change);
      } catch (error) {
        if (isClosed || /** @type {Error} */ (error).name !== "InvalidStateError") throw error;
      }
      // The browser has closed it: Safari does, of pages in the background.
      database = await openAgain();
      try {
        const head = await result(database.transaction("clients").objectStore("clients").get(slot));
        // Behind what somebody has cleared, nobody could read what is written.
        if (head?.client !== client) throw new Error("The outbox was taken away.");
        await write(change);
      } finally {
        if (isClosed) database.close();
      }
    },
    close: () => {
      isClosed = true;
      database.close();
    },
  };
}

/**
 * The keys of a slot's dispatches.
 *
 * @param {string} slot
 * @param {number} [last]
 */
function range(slot, last = Infinity) {
  return IDBKeyRange.bound([slot, 0], [slot, last]);
}
