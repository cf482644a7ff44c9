/** How long a server may take to answer when the network has changed, in milliseconds. */
const impatience = 5000;

/**
 * Finds out that a connection is dead: pings after a time of silence, and takes the connection for
 * lost when as long again passes without a message.
 */
export class Heartbeat {
  #lastHeard = 0;
  /** Something came since the last ping. */
  #isAnswered = true;
  /** @type {unknown} */
  #timer;
  #interval = 0;
  #platform;
  #ping;
  #lost;

  /**
   * @param {import("./Platform.js").Platform} platform
   * @param {() => void} ping  asks for a sign of life
   * @param {() => void} lost  none came
   */
  constructor(platform, ping, lost) {
    this.#platform = platform;
    this.#ping = ping;
    this.#lost = lost;
  }

  /**
   * The connection is live.
   *
   * @param {number} seconds  of silence before a ping
   */
  start(seconds) {
    this.#interval = seconds * 1000;
    this.heard();
    this.#watch();
  }

  stop() {
    this.#platform.clearTimeout(this.#timer);
  }

  /** A message came. */
  heard() {
    this.#lastHeard = this.#platform.now();
    this.#isAnswered = true;
  }

  /** The network has changed: finds out now whether the connection is still there. */
  probe() {
    this.#expectAnswer(Math.min(impatience, this.#interval));
  }

  /** Waits until it was silent for long enough. */
  #watch() {
    const silence = this.#platform.now() - this.#lastHeard;
    if (silence >= this.#interval) this.#expectAnswer(this.#interval);
    else this.#after(this.#interval - silence, () => this.#watch());
  }

  /** @param {number} time */
  #expectAnswer(time) {
    this.#isAnswered = false;
    this.#ping();
    this.#after(time, () => {
      if (this.#isAnswered) this.#watch();
      else this.#lost();
    });
  }

  /**
   * @param {number} time
   * @param {() => void} work
   */
  #after(time, work) {
    this.stop();
    this.#timer = this.#platform.setTimeout(work, time);
  }
}
