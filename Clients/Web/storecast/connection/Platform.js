/**
 * What a connection takes from its surroundings: time, chance and what the browser knows.
 *
 * @typedef {object} Platform
 * @property {() => number} now  milliseconds that only grow
 * @property {() => number} time  milliseconds since 1970
 * @property {(work: () => void, milliseconds: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random  from 0 up to 1
 * @property {() => string} newClient  a client id: 128 bits that nobody can guess
 * @property {((work: () => void) => void) | undefined} requestFrame  before the page is drawn next
 * @property {(changed: () => void) => () => void} watchNetwork  calls `changed` when the machine
 *     may have got another network, or was woken up; returns what ends that
 * @property {(hidden: () => void) => () => void} watchHiding  calls `hidden` when the page may soon
 *     be frozen or ended; returns what ends that
 * @property {(asleep: () => void, awake: () => void) => () => void} watchSleep  calls `asleep` when
 *     the page is about to be stopped for a while, and `awake` when it goes on; returns what ends
 *     that
 * @property {import("../outbox/Slots.js").Locks | undefined} locks  by which tabs keep one another
 *     out
 * @property {((name: string) => Channel) | undefined} openChannel  by which tabs hear one another
 */

/**
 * As much of a `BroadcastChannel` as is used.
 *
 * @typedef {object} Channel
 * @property {(message: unknown) => void} postMessage
 * @property {((event: MessageEvent) => void) | null} onmessage
 * @property {() => void} close
 */

/**
 * The browser, or node.
 *
 * @type {Platform}
 */
export const platform = {
  now: () => performance.now(),
  time: () => Date.now(),
  setTimeout: (work, milliseconds) => setTimeout(work, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer),
  random: () => Math.random(),
  newClient,
  requestFrame:
    typeof requestAnimationFrame === "function"
      ? (work) => void requestAnimationFrame(work)
      : undefined,
  watchNetwork,
  watchHiding,
  watchSleep,
  locks: globalThis.navigator?.locks,
  openChannel:
    typeof BroadcastChannel === "function" ? (name) => new BroadcastChannel(name) : undefined,
};

function newClient() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {() => void} changed */
function watchNetwork(changed) {
  const events = { online: changed, offline: changed, pageshow: changed };
  return listen(events, { visibilitychange: whenPageIs("visible", changed) });
}

/** @param {() => void} hidden */
function watchHiding(hidden) {
  return listen({ pagehide: hidden }, { visibilitychange: whenPageIs("hidden", hidden) });
}

/**
 * @param {() => void} asleep
 * @param {() => void} awake
 */
function watchSleep(asleep, awake) {
  return listen({ pagehide: asleep, pageshow: awake }, { freeze: asleep, resume: awake });
}

/**
 * Hears of the events of a page, if the program is in one; returns what ends that.
 *
 * @param {Record<string, () => void>} ofWindow
 * @param {Record<string, () => void>} ofDocument
 */
function listen(ofWindow, ofDocument) {
  if (typeof window === "undefined" || typeof document === "undefined") return () => {};
  const listening = new AbortController();
  const { signal } = listening;
  for (const [name, work] of Object.entries(ofWindow)) {
    window.addEventListener(name, work, { signal });
  }
  for (const [name, work] of Object.entries(ofDocument)) {
    document.addEventListener(name, work, { signal });
  }
  return () => listening.abort();
}

/**
 * @param {DocumentVisibilityState} state
 * @param {() => void} work
 */
function whenPageIs(state, work) {
  return () => {
    if (document.visibilityState === state) work();
  };
}
