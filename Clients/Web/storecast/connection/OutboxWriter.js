import { Rejection } from "../wire/Rejection.js";

/** How long to wait after a failure, in milliseconds. */
const pause = 5000;

/** Keeps an outbox's storage up to date. */
export class OutboxWriter {
  /** @type {import("../outbox/OutboxStorage.js").OpenOutbox | undefined} */
  #storage;
  #isWriting = false;
  /** @type {unknown} */
  #timer;
  #outbox;
  #platform;
  #wrote;

  /**
   * @param {import("../session/Outbox.js").Outbox} outbox
   * @param {import("./Platform.js").Platform} platform
   * @param {(problem: Rejection | undefined) => void} wrote  called when something was written that
   *     may be sent now, or could not be, for a reason
   */
  constructor(outbox, platform, wrote) {
    this.#outbox = outbox;
    this.#platform = platform;
    this.#wrote = wrote;
  }

  /**
   * Writes what was dispatched before it was open, too: there may be no server for long.
   *
   * @param {import("../outbox/OutboxStorage.js").OpenOutbox} storage
   */
  open(storage) {
    this.#storage = storage;
    this.#outbox.open(storage.contents);
    this.write();
  }

  close() {
    this.#platform.clearTimeout(this.#timer);
    this.#storage?.close();
    this.#storage = undefined;
  }

  /** Writes no dispatches: only finds out whether another tab has opened the storage since. */
  check() {
    const change = { dispatches: [], settled: this.#outbox.forgettable };
    // `write` reports failures.
    Promise.resolve(this.#storage?.write(change)).catch(() => {});
  }

  /** Writes what isn't written yet; when this returns it is, if the storage can do that. */
  write() {
    const change = this.#storage && !this.#isWriting && this.#outbox.unwritten;
    if (!change) return;
    this.#isWriting = true;
    try {
      const written = this.#storage?.write(change);
      if (!written) return this.#ended(change);
      written.then(
        () => this.#ended(change),
        (error) => this.#failed(error),
      );
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {import("../outbox/OutboxStorage.js").OutboxChange} change */
  #ended(change) {
    this.#isWriting = false;
    // Another tab may have the outbox by now.
    if (!this.#storage) return;
    this.#outbox.noteWritten(change);
    this.#wrote(undefined);
  }

  /**
   * Tries again later; until then nothing new is taken, and nothing sent that isn't written.
   *
   * @param {unknown} error
   */
  #failed(error) {
    if (!this.#storage) return;
    const title = "Dispatches can't be stored.";
    this.#wrote(new Rejection("outbox-unwritable", title, String(error)));
    this.#timer = this.#platform.setTimeout(() => {
      this.#isWriting = false;
      this.write();
    }, pause);
  }
}
