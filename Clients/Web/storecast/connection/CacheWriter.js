import { KeptMirrors } from "../session/KeptMirrors.js";

/** @typedef {import("../cache/CacheStorage.js").CacheOptions} CacheOptions */
/** @typedef {import("../session/ClientSession.js").ClientSession} ClientSession */

/** How long a storage may take until the program goes on without it, in milliseconds. */
const patience = 2000;

/** Keeps a cache's storage up to date. */
export class CacheWriter {
  /** @type {KeptMirrors | undefined} */
  #kept;
  /** @type {unknown} */
  #timer;
  /** How many characters the last text had. */
  #size = 0;
  /** @type {unknown} */
  #text;
  #isChanged = false;
  /** Whether this program writes: of tabs that share a connection one does. */
  isWriting = true;
  #isEnded = false;
  /** The viewer may have nothing of it, though it is still shown. */
  #isBarred = false;
  /** What is being written, one after the other. */
  #writing = Promise.resolve();
  #key;
  #options;
  #platform;
  #session;

  /**
   * @param {string} url
   * @param {CacheOptions} options
   * @param {import("./Platform.js").Platform} platform
   * @param {ClientSession} session
   */
  constructor(url, options, platform, session) {
    this.#key = `storecast ${url} ${options.viewer}`;
    this.#options = options;
    this.#platform = platform;
    this.#session = session;
  }

  /** Reads what was kept. */
  async read() {
    /** @type {unknown} */
    let timer;
    const tooLong = new Promise((resolve) => {
      timer = this.#platform.setTimeout(() => resolve(undefined), patience);
    });
    this.#text = await Promise.race([this.#read(), tooLong]);
    this.#platform.clearTimeout(timer);
  }

  /**
   * Gives the session what was read, now that the client's id is known.
   *
   * @param {string} url
   * @param {string} [newer]  what the tab that leads has, in the place of that
   */
  open(url, newer) {
    if (this.#isEnded || (this.#kept && !newer)) return;
    const { viewer, characters = 4_000_000, selectionCharacters = 1_000_000 } = this.#options;
    const home = { url, viewer, client: this.#session.client };
    const kept = new KeptMirrors(home, { characters, selectionCharacters });
    kept.read(newer ?? this.#text);
    this.#text = undefined;
    this.#kept = kept;
    this.#session.restore(kept);
  }

  /** What is stored; undefined if there is nothing, or it can't be opened. */
  async #read() {
    const { storage, open } = this.#options;
    try {
      const stored = await storage.get(this.#key);
      return stored !== undefined && open ? await open(stored) : stored;
    } catch {
      return undefined;
    }
  }

  /** Something has changed: it is written with all that changes soon. */
  schedule() {
    this.#isChanged = true;
    if (this.#timer !== undefined || !this.isWriting || !this.#kept) return;
    const { interval = 10_000 } = this.#options;
    // What is larger is written more seldom, and the first states soon: the next start would show
    // nothing.
    const isFirst = this.#size === 0 && !this.#kept.start;
    const pause = isFirst
      ? Math.min(interval, 1000)
      : interval + Math.floor(this.#size / (256 << 10)) * 1000;
    this.#timer = this.#platform.setTimeout(() => {
      this.#timer = undefined;
      if (this.#isChanged) void this.save();
    }, pause);
  }

  /** What there is to keep now; undefined if there is nothing, or may be nothing any more. */
  get text() {
    if (this.#isBarred) return undefined;
    const { mirrors, position, term } = this.#session;
    return position && this.#kept?.write(mirrors, position, term);
  }

  /** Writes what is followed now; fulfilled when that is done, or can't be. */
  save() {
    const text = this.isWriting ? this.text : undefined;
    if (text === undefined) return this.#writing;
    this.#isChanged = false;
    this.#size = text.length;
    const { storage, seal } = this.#options;
    return this.#append(async () => {
      try {
        const sealed = seal ? await seal(text) : text;
        await storage.set(this.#key, sealed);
      } catch {
        // With the next change it is tried again.
        this.#isChanged = true;
      }
    });
  }

  /** The viewer may have it. */
  admit() {
    this.#isBarred = false;
  }

  /** The viewer may have nothing of it any more, until `admit` is called. */
  clear() {
    this.#isBarred = true;
    this.#kept?.clear();
    return this.#append(() => this.#options.storage.delete(this.#key).catch(() => {}));
  }

  /** Takes everything away, and keeps nothing from now on. */
  async wipe() {
    this.#isEnded = true;
    this.#platform.clearTimeout(this.#timer);
    this.#kept?.clear();
    this.#kept = undefined;
    await this.#writing;
    await this.#options.storage.delete(this.#key);
  }

  /** Writes for the last time. */
  close() {
    this.#platform.clearTimeout(this.#timer);
    void this.save();
    // What is being written goes on; nothing else is begun.
    this.#kept = undefined;
  }

  /** @param {() => Promise<void>} work */
  #append(work) {
    this.#writing = this.#writing.then(work);
    return this.#writing;
  }
}
