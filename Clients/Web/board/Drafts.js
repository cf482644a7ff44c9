/**
 * What somebody has typed and not saved.
 *
 * @typedef {object} Draft
 * @property {string} text
 * @property {import("../storecast/index.js").SharedText} [base]  what it was made of
 * @property {string} [sentence]  why it was not taken
 */

const key = "storecast drafts";
/** How many there are at most, of all boards, and how large they are together as JSON text. */
const most = 100;
const largest = 200_000;

/**
 * What was typed on a board and isn't saved, kept in the browser: it outlives a reload, and the
 * tab. When there is no more room, the oldest drafts go.
 */
export class Drafts {
  #board;
  #storage;
  /**
   * Those of all boards, the one that was changed last at the end.
   *
   * @type {Map<string, Draft>}
   */
  #all = new Map();

  /**
   * @param {string} board  the room's path
   * @param {Pick<Storage, "getItem" | "setItem"> | undefined} [storage]  without one they last as
   *     long as the page
   */
  constructor(board, storage = allowedStorage()) {
    this.#board = board;
    this.#storage = storage;
    this.reread();
  }

  /** @param {string} what */
  get(what) {
    return this.#all.get(this.#name(what));
  }

  /**
   * @param {string} what
   * @param {Draft | undefined} draft  nothing is kept of a blank one
   */
  keep(what, draft) {
    const kept = draft?.text.trim() ? draft : undefined;
    if (!kept && !this.get(what)) return;
    this.reread();
    this.#all.delete(this.#name(what));
    if (kept) this.#all.set(this.#name(what), kept);
    this.#write();
  }

  /** @param {string} what */
  drop(what) {
    this.keep(what, undefined);
  }

  /**
   * This board's drafts whose names begin so, by their names.
   *
   * @param {string} kind
   * @returns {[string, Draft][]}
   */
  list(kind) {
    const found = [...this.#all].filter(([name]) => name.startsWith(this.#name(kind)));
    return found.map(([name, draft]) => [name.slice(this.#name("").length), draft]);
  }

  /** Takes what other tabs have written. */
  reread() {
    if (this.#storage) this.#all = new Map(parsed(this.#storage.getItem(key)));
  }

  #write() {
    let text = JSON.stringify([...this.#all]);
    for (const [oldest] of this.#all) {
      if (this.#all.size <= most && text.length <= largest) break;
      this.#all.delete(oldest);
      text = JSON.stringify([...this.#all]);
    }
    try {
      this.#storage?.setItem(key, text);
    } catch {
      // The storage is full: from now on they last as long as the page.
      this.#storage = undefined;
    }
  }

  /** @param {string} what */
  #name(what) {
    return `${this.#board} ${what}`;
  }
}

/**
 * The entries of a storage's text; none of one that isn't of this form.
 *
 * @param {string | null} text
 * @returns {[string, Draft][]}
 */
function parsed(text) {
  try {
    const entries = JSON.parse(text ?? "[]");
    return Array.isArray(entries) ? entries.filter(isEntry).slice(-most) : [];
  } catch {
    return [];
  }
}

/** @param {unknown} entry */
const isEntry = (entry) =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1]?.text === "string";

function allowedStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
