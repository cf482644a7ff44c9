import { openFree, slotsOf } from "./Slots.js";
import { openedAgain } from "./StoredText.js";

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
      const names = slotsOf(name, url);
      const used = names.filter((slot) => keys(storage, slot).length > 0);
      return openFree(locks, names, used, async (slot) => open(storage, slot, newClient));
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
  const read = (/** @type {string} */ key) => {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  };
  const stored = keys(storage, slot);
  const contents = openedAgain(read(slot), stored.map(read), newClient);
  const { client, settled, opening } = contents;
  let first = Math.min(settled + 1, ...stored.map((key) => Number(key.split(" ").at(-1))));
  const keep = (/** @type {number} */ settled) =>
    storage.setItem(slot, JSON.stringify({ client, settled, opening }));
  let isKept = true;
  try {
    keep(settled);
  } catch {
    // There may be no room for it, and dispatches to be sent all the same.
    isKept = false;
  }
  return {
    contents: { ...contents, opening: isKept ? opening : undefined },
    write: (change) => {
      for (const dispatch of change.dispatches) {
        storage.setItem(`${slot} ${dispatch.seq}`, JSON.stringify(dispatch));
      }
      keep(change.settled);
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
