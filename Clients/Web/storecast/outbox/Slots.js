import { Rejection } from "../wire/Rejection.js";

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
export function slotsOf(outbox, url) {
  return Array.from({ length: 16 }, (_, slot) => `storecast ${outbox} ${slot} ${url}`);
}

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
export async function openFree(locks, names, used, open) {
  if (!locks) {
    const detail = "Web Locks need https: or localhost.";
    throw new Rejection("outbox-locked", "The page can't have an outbox to itself.", detail);
  }
  /** @type {unknown} */
  let problem = "All are in use.";
  for (const name of new Set([...used, ...names])) {
    const unlock = await lock(locks, name);
    if (!unlock) continue;
    try {
      const outbox = await open(name);
      return {
        ...outbox,
        close: () => {
          outbox.close();
          unlock();
        },
      };
    } catch (error) {
      // Left as it is, for somebody to look at.
      problem = error;
      unlock();
    }
  }
  throw new Rejection("outbox-locked", "There is no outbox for this tab.", String(problem));
}

/**
 * What gives a lock back; undefined if somebody else has it.
 *
 * @param {Locks} locks
 * @param {string} name
 * @returns {Promise<(() => void) | undefined>}
 */
function lock(locks, name) {
  return new Promise((resolve, reject) => {
    const held = (/** @type {unknown} */ lock) =>
      lock ? new Promise((unlock) => resolve(() => unlock(undefined))) : resolve(undefined);
    locks.request(name, { ifAvailable: true }, held).catch(reject);
  });
}
