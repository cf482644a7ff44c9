/**
 * Whose states are told.
 *
 * @typedef {object} Source
 * @property {(listener: () => void) => () => void} subscribe
 * @property {(closed: () => void) => () => void} onClose  calls `closed` when nothing more comes
 * @property {import("../wire/Rejection.js").Rejection | undefined} problem
 */

/**
 * A store's states for `for await`: the one that there is, then the newest whenever it is another.
 *
 * Nothing piles up: whoever is slow misses what was in between. It ends when the store or its
 * connection is closed, and throws what the store has as another `problem`.
 *
 * @template State
 * @implements {AsyncIterableIterator<State>}
 */
export class States {
  /** @type {State | undefined} */
  #told;
  /**
   * Those who wait, in their order.
   *
   * @type {{ resolve: (r: IteratorResult<State>) => void, reject: (error: unknown) => void }[]}
   */
  #waiting = [];
  #isOver = false;
  /** @type {(() => void) | undefined} */
  #leave;
  #source;
  #read;

  /**
   * @param {Source} source
   * @param {() => State | undefined} read
   */
  constructor(source, read) {
    this.#source = source;
    this.#read = read;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<State>>} */
  next() {
    if (!this.#isOver) this.#leave ??= this.#listen();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#turn();
    });
  }

  /** @returns {Promise<IteratorResult<State>>} */
  async return() {
    this.#end();
    return { done: true, value: undefined };
  }

  #listen() {
    const ends = [
      this.#source.subscribe(() => this.#turn()),
      this.#source.onClose(() => this.#end()),
    ];
    return () => ends.forEach((end) => end());
  }

  /** Gives those who wait what there is. */
  #turn() {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const { problem } = this.#source;
      const state = this.#isOver ? undefined : this.#read();
      const isNew = state !== undefined && state !== this.#told;
      if (!isNew && !this.#isOver && !problem) return;
      this.#waiting.shift();
      if (isNew) {
        this.#told = state;
        first.resolve({ done: false, value: state });
        continue;
      }
      if (this.#isOver || problem?.code === "closed") {
        first.resolve({ done: true, value: undefined });
      } else {
        first.reject(problem);
      }
      if (!this.#isOver) this.#end();
    }
  }

  #end() {
    this.#isOver = true;
    this.#leave?.();
    this.#leave = undefined;
    this.#turn();
  }
}
