/**
 * When stores tell their listeners what the server has changed.
 *
 * - `"frame"`: at most once per frame of the browser (and at least once a second where it draws
 *   none, in a hidden page); where there are no frames, as in node, like `"microtask"`.
 * - `"microtask"`: behind each message of the server.
 * - a function: whenever it calls what it is given.
 *
 * @typedef {"frame" | "microtask" | ((announce: () => void) => void)} Notify
 */

/** The longest that a page which isn't drawn waits, in milliseconds. */
const hiddenInterval = 1000;

/** Tells listeners of what has changed, together and not too often. */
export class Announcer {
  /** @type {Set<{ announce: () => void }>} */
  #changed = new Set();
  #isScheduled = false;
  #isRunning = false;
  #schedule;

  /**
   * @param {Notify} notify
   * @param {import("../connection/Platform.js").Platform} platform
   */
  constructor(notify, platform) {
    this.#schedule =
      typeof notify === "function"
        ? notify
        : notify === "frame" && platform.requestFrame
        ? frames(platform, platform.requestFrame)
        : (/** @type {() => void} */ work) => queueMicrotask(work);
  }

  /**
   * Will be asked to announce.
   *
   * @param {{ announce: () => void }} changed
   */
  add(changed) {
    this.#changed.add(changed);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Announces now; what changes meanwhile, too. */
  flush() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const changed of this.#changed) {
        this.#changed.delete(changed);
        changed.announce();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}

/**
 * @param {import("../connection/Platform.js").Platform} platform
 * @param {(work: () => void) => void} requestFrame
 * @returns {(work: () => void) => void}
 */
function frames(platform, requestFrame) {
  return (work) => {
    let isDone = false;
    const once = () => {
      if (isDone) return;
      isDone = true;
      platform.clearTimeout(timer);
      work();
    };
    const timer = platform.setTimeout(once, hiddenInterval);
    requestFrame(once);
  };
}
