import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readClient, readDispatches } from "../outbox/StoredText.js";
import { Rejection } from "../wire/Rejection.js";
import { lockFile } from "./FileLock.js";

/** @typedef {import("../outbox/OutboxStorage.js").OutboxChange} OutboxChange */
/** @typedef {import("../outbox/OutboxStorage.js").OutboxStorage} OutboxStorage */
/** @typedef {import("../outbox/OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {{ client: string, opening: number, url: string }} Head */

/** The file is written anew when it has grown by so many bytes, and to twice its size. */
const slack = 1 << 20;

/**
 * Keeps dispatches in a file, on the disk before they are sent. One program at a time has it open.
 *
 * The file is a log: a line for each change, behind its checksum. Of what a crash has left, the
 * last line may be a part: nothing of it was sent, as that waits for the disk. Only its owner can
 * read it.
 *
 * @param {string} path  its folder is made if there is none
 * @returns {OutboxStorage}
 */
export function fileOutbox(path) {
  return {
    open: async (url, newClient) => {
      const file = resolve(path);
      await mkdir(dirname(file), { recursive: true });
      const unlock = lockFile(file);
      try {
        const log = await OutboxLog.open(file, url, newClient);
        const { contents } = log;
        const close = () => void log.close().finally(unlock);
        return { contents, write: (change) => log.write(change), close };
      } catch (error) {
        unlock();
        throw error;
      }
    },
  };
}

/** The file of an outbox that is open. */
class OutboxLog {
  /** @type {Map<number, StoredDispatch>} */
  #dispatches = new Map();
  #settled = 0;
  /** @type {Awaited<ReturnType<typeof open>> | undefined} */
  #handle;
  /** How long the file is, as far as it is right, and how long it was when it was written anew. */
  #length = 0;
  #firstLength = 0;
  #writing = Promise.resolve();
  #path;
  #head;

  /**
   * @param {string} path
   * @param {Head} head
   */
  constructor(path, head) {
    this.#path = path;
    this.#head = head;
  }

  /**
   * @param {string} path
   * @param {string} url
   * @param {() => string} newClient
   */
  static async open(path, url, newClient) {
    const found = readLog(await contentsOf(path));
    const head = found?.head ?? { client: newClient(), opening: 0, url };
    if (head.url !== url) {
      const detail = `${path} is that of ${head.url}. Give each room a file of its own.`;
      throw new Rejection("outbox-unreadable", "The outbox is another room's.", detail);
    }
    const log = new OutboxLog(path, { ...head, opening: head.opening + 1 });
    for (const change of found?.changes ?? []) log.#note(change);
    readDispatches([...log.#dispatches.values()], log.#settled);
    await log.#rewrite();
    return log;
  }

  get contents() {
    const { client, opening } = this.#head;
    const dispatches = readDispatches([...this.#dispatches.values()], this.#settled);
    return { client, opening, settled: this.#settled, dispatches };
  }

  /**
   * @param {OutboxChange} change
   * @returns {Promise<void>}
   */
  write(change) {
    this.#writing = this.#write(change);
    return this.#writing;
  }

  async close() {
    await this.#writing.catch(() => {});
    await this.#handle?.close();
    this.#handle = undefined;
  }

  /** @param {OutboxChange} change */
  async #write(change) {
    const line = logLine(change);
    const bytes = Buffer.byteLength(line);
    const isGrown = this.#length + bytes > 2 * this.#firstLength + slack;
    if (!this.#handle || isGrown) {
      this.#note(change);
      return this.#rewrite();
    }
    // A write that failed may have left a part behind that.
    await this.#handle.truncate(this.#length);
    await this.#handle.writeFile(line);
    await this.#handle.sync();
    this.#length += bytes;
    this.#note(change);
  }

  /** @param {OutboxChange} change */
  #note({ dispatches, settled }) {
    for (const dispatch of dispatches) this.#dispatches.set(dispatch.seq, dispatch);
    for (const seq of this.#dispatches.keys()) {
      if (seq > settled) break;
      this.#dispatches.delete(seq);
    }
    this.#settled = settled;
  }

  /** Writes what there is to a new file, which takes the place of the old one when it is whole. */
  async #rewrite() {
    const dispatches = [...this.#dispatches.values()];
    const text = logLine(this.#head) + logLine({ dispatches, settled: this.#settled });
    await this.#handle?.close();
    this.#handle = undefined;
    const draft = `${this.#path}.new`;
    const written = await open(draft, "w", 0o600);
    try {
      await written.writeFile(text);
      await written.sync();
    } finally {
      await written.close();
    }
    await rename(draft, this.#path);
    await syncFolder(dirname(this.#path));
    this.#handle = await open(this.#path, "a");
    this.#length = this.#firstLength = Buffer.byteLength(text);
  }
}

/** @param {string} path */
async function contentsOf(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (Object(error).code === "ENOENT") return "";
    throw error;
  }
}

/** @param {string} path */
async function syncFolder(path) {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @param {object} value */
function logLine(value) {
  const text = JSON.stringify(value);
  return `${checksum(text)} ${text}\n`;
}

/** @param {string} line */
function readLine(line) {
  const json = line.slice(17);
  return line === `${checksum(json)} ${json}` ? JSON.parse(json) : undefined;
}

/** @param {string} text */
function checksum(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * What a file holds, without a last line that isn't whole; undefined if that is nothing.
 *
 * @param {string} text
 * @returns {{ head: Head, changes: OutboxChange[] } | undefined}
 * @throws {Error} if it isn't an outbox, or damaged
 */
function readLog(text) {
  if (text === "") return undefined;
  // What has no end isn't whole; and what the disk had begun to write may have holes.
  const values = text.split("\n").slice(0, -1).map(readLine);
  if (values.at(-1) === undefined) values.pop();
  const [head, ...changes] = values;
  // The first two are written together.
  if (changes.length === 0 || values.includes(undefined)) {
    throw new Error("The file is no outbox, or damaged.");
  }
  const { client, opening } = readClient({ ...head, settled: 0 });
  for (const { settled, dispatches } of changes) {
    if (!Number.isSafeInteger(settled) || !Array.isArray(dispatches)) {
      throw new Error("The outbox can't be read.");
    }
  }
  return { head: { client, opening, url: String(head.url) }, changes };
}
