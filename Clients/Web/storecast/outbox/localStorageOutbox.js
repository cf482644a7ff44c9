import { openFree, slots } from "./Slots.js";
import { readClient, readDispatches } from "./StoredText.js";

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
export function localStorageOutbox(name = "outbox", parts = {}) {
  return {
    open: async (url, newClient) => {
      const storage = parts.storage ?? globalThis.localStorage;
      const locks = parts.locks ?? globalThis.navigator?.locks;
      const names = slots.map((slot) => `storecast ${name} ${slot} ${url}`);
      const used = names.filter((slot) => keys(storage, slot).length > 0);
      const order = [...used, ...names.filter((slot) => !used.includes(slot))];
      return openFree(locks, order, async (slot) => open(storage, slot, newClient));
    },
  };
}

/**
 * @param {Storage} storage
 * @param {string} slot
 * @param {() => string} newClient
 * @returns {OpenOutbox}
 */
function open(storage, slot, newClient) {
  const head = storage.getItem(slot);
  const stored = keys(storage, slot);
  const none = { client: newClient(), settled: 0 };
  const { client, settled } = head === null && stored.length === 0 ? none : readClient(read(head));
  const values = stored.map((key) => read(storage.getItem(key)));
  let first = Math.min(settled + 1, ...stored.map((key) => Number(key.split(" ").at(-1))));
  return {
    contents: { client, settled, dispatches: readDispatches(values, settled) },
    write: (change) => {
      for (const dispatch of change.dispatches) {
        storage.setItem(`${slot} ${dispatch.seq}`, JSON.stringify(dispatch));
      }
      storage.setItem(slot, JSON.stringify({ client, settled: change.settled }));
      for (; first <= change.settled; first += 1) storage.removeItem(`${slot} ${first}`);
    },
    close: () => {},
  };
}

/**
 * The keys of the dispatches in a slot.
 *
 * @param {Storage} storage
 * @param {string} slot
 */
function keys(storage, slot) {
  const all = Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? "");
  return all.filter((key) => key.startsWith(`${slot} `));
}

/** @param {string | null} text */
function read(text) {
  return text === null ? undefined : JSON.parse(text);
}
