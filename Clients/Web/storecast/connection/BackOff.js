/** Bounds, in seconds. */
const shortest = 0.25;
const longest = 30;
/** A connection that held so long ends a row of failures. */
const stable = 5;

/**
 * How long a client waits before it connects again: twice as long after every failure, within
 * bounds, and then by chance between half of that and all of it, so that the clients of a server
 * that went down don't come back at the same moment.
 */
export class BackOff {
  #failures = 0;
  #random;

  /** @param {() => number} random  from 0 up to 1 */
  constructor(random) {
    this.#random = random;
  }

  /** The next wait is as short as the first. */
  reset() {
    this.#failures = 0;
  }

  /**
   * The connection was live for so many seconds.
   *
   * A server that welcomes everyone and hangs up at once is as broken as one that doesn't answer.
   *
   * @param {number} seconds
   */
  wasLive(seconds) {
    if (seconds >= stable) this.reset();
  }

  /**
   * Seconds to wait after one more failure, of which the server may have said `bye`: at least as
   * long as it asks for, up to two hours.
   *
   * @param {import("../wire/ServerFrame.js").Bye} [bye]
   */
  next(bye) {
    const most = Math.min(shortest * 2 ** Math.min(this.#failures, 30), longest);
    this.#failures += 1;
    const own = most * (0.5 + this.#random() / 2);
    if (!bye) return own;
    return Math.max(own, bounded(bye.after) + bounded(bye.jitter) * this.#random());
  }
}

/** @param {number} seconds */
function bounded(seconds) {
  return Math.min(Math.max(seconds, 0), 3600);
}
