/** Time, chance and network of a connection, in the hands of a test. */
export class ManualPlatform {
  #now = 0;
  #timers = new Set();
  #clients = 0;
  #watchers = new Set();
  #hiders = new Set();
  frames = [];
  /** What chance says next. */
  chance = 0.5;

  constructor({ hasFrames = false, random } = {}) {
    if (hasFrames) this.requestFrame = (work) => this.frames.push(work);
    if (random) this.random = random;
  }

  requestFrame = undefined;
  now = () => this.#now;
  time = () => 1_000_000 + this.#now;
  random = () => this.chance;
  newClient = () => String((this.#clients += 1)).padStart(32, "0");
  clearTimeout = (timer) => void this.#timers.delete(timer);

  setTimeout = (work, milliseconds) => {
    const timer = { work, due: this.#now + Math.max(0, milliseconds) };
    this.#timers.add(timer);
    return timer;
  };

  watchNetwork = (changed) => {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  };

  watchHiding = (hidden) => {
    this.#hiders.add(hidden);
    return () => void this.#hiders.delete(hidden);
  };

  /** The page is hidden. */
  hide() {
    for (const hidden of this.#hiders) hidden();
  }

  get watchers() {
    return this.#watchers.size;
  }

  networkChanges() {
    for (const changed of this.#watchers) changed();
  }

  /** The next thing that is to happen, or Infinity. */
  get nextDue() {
    return Math.min(...[...this.#timers].map(({ due }) => due));
  }

  /** Lets so many milliseconds pass, and everything happen that is due by then. */
  async advance(milliseconds) {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = [...this.#timers].sort((one, other) => one.due - other.due)[0];
      if (!next || next.due > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.work();
      await settle();
    }
    this.#now = end;
  }

  /** The page is drawn. */
  drawFrame() {
    for (const work of this.frames.splice(0)) work();
  }
}

/** Returns when nothing is left to do but what waits for timers, sockets or disks. */
export function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}
