import { readJSON } from "../wire/JSONText.js";
import { isCount, list, object, optional, string } from "../wire/Shape.js";
import { Mirror } from "./Mirror.js";
import { stampId } from "./stampId.js";

/** @typedef {import("./Position.js").Position} Position */

/**
 * Whose mirrors these are.
 *
 * @typedef {{ url: string, viewer: string, client: string }} Home
 */

/**
 * @typedef {object} KeptMirror
 * @property {string} select
 * @property {unknown} params  undefined for none
 * @property {number} v  the newest version at which the value is known to be right
 * @property {number} since  the one at which it last changed, which names it within its epoch
 * @property {string} tag
 * @property {number} included  the last of the client's dispatches that is in it
 * @property {string} text  the value's
 */

/** The version of the format; others are passed over. */
const format = 1;

/** The longest names that are sent to a server: what a server makes is shorter. */
const longestName = 1024;

/** @type {import("../wire/Shape.js").Check} */
const name = (value) => typeof value === "string" && value.length <= longestName;

const isIndex = object({
  epoch: name,
  v: isCount,
  term: optional(name),
  mirrors: list(
    object({
      select: string,
      v: isCount,
      since: isCount,
      tag: name,
      included: isCount,
      length: isCount,
    }),
  ),
});

/** What a mirror takes beside its names and its value, in characters, at most. */
const overhead = 160;

/**
 * What a client keeps of its mirrors for the next time that it is started: values as the server
 * sent them, each with the version at which it is known to be right, and where the client was in
 * the room's history.
 *
 * All of it is of one history. The next session says in its `hello` where this one was, and in
 * which term; if the server goes on in that epoch, every value is a part of its history, however
 * long ago it was kept.
 */
export class KeptMirrors {
  /**
   * Where the session was that kept them; undefined if none did.
   *
   * @type {{ position: Position, term: string | undefined } | undefined}
   */
  start;

  /**
   * By their keys, what wasn't followed for the longest time first.
   *
   * @type {Map<string, KeptMirror>}
   */
  #mirrors = new Map();
  #epoch = "";
  #home;
  #limits;

  /**
   * @param {Home} home
   * @param {{ characters: number, selectionCharacters: number }} limits
   */
  constructor(home, limits) {
    this.#home = home;
    this.#limits = limits;
  }

  // Mirrors

  /**
   * Gives a mirror what was kept of it, if it has nothing newer.
   *
   * @param {Mirror} mirror
   * @param {string | undefined} epoch  that of the connection; undefined before the first welcome
   */
  restore(mirror, epoch) {
    const kept = this.#mirrors.get(mirror.key);
    if (!kept || (epoch !== undefined && epoch !== this.#epoch)) return;
    const { v: version, since, tag, included, text } = kept;
    const has = mirror.resumePoint;
    if (has && (has.epoch !== this.#epoch || has.v >= version)) return;
    try {
      const position = { epoch: this.#epoch, version };
      const content = { value: readJSON(text), position, since, tag, included };
      // Beside what the server has sent, it is shown when the server has confirmed it.
      mirror.restore(content, epoch === undefined);
    } catch {
      this.#mirrors.delete(mirror.key);
    }
  }

  /**
   * Takes what a mirror holds.
   *
   * @param {Mirror} mirror
   * @param {string | undefined} epoch  that of the connection
   */
  keep(mirror, epoch) {
    const { key, content } = mirror;
    if (mirror.failure?.code === "forbidden") return void this.#mirrors.delete(key);
    // One that still waits for an answer may have what is lost.
    if (!content || content.position.epoch !== epoch) return;
    const { position, since, tag, included } = content;
    this.#begin(epoch);
    const known = this.#mirrors.get(key);
    // The same version of the same history stands for the same value.
    const isSame = known?.since === since && known.tag === tag;
    const text = isSame ? known.text : JSON.stringify(content.value);
    this.#mirrors.delete(key);
    if (text.length > this.#limits.selectionCharacters) return;
    const { selection: select, parameters: params } = mirror;
    this.#mirrors.set(key, { select, params, v: position.version, since, tag, included, text });
  }

  /**
   * What is of another history goes.
   *
   * @param {string} epoch
   */
  #begin(epoch) {
    if (epoch !== this.#epoch) this.#mirrors.clear();
    this.#epoch = epoch;
  }

  clear() {
    this.#mirrors.clear();
  }

  // Texts

  /**
   * What is to be stored.
   *
   * @param {readonly Mirror[]} mirrors  those that are followed
   * @param {Position} position  where the client is
   * @param {string | undefined} term
   */
  write(mirrors, position, term) {
    this.#begin(position.epoch);
    for (const mirror of mirrors) this.keep(mirror, position.epoch);
    this.#trim();
    const { url, viewer, client } = this.#home;
    const kept = [...this.#mirrors.values()];
    const index = JSON.stringify({
      format,
      url,
      viewer,
      // Its id is half of a secret.
      client: stampId(client, 0),
      epoch: position.epoch,
      v: position.version,
      term,
      mirrors: kept.map(({ text, ...mirror }) => ({ ...mirror, length: text.length })),
    });
    const body = `${index}\n${kept.map(({ text }) => text).join("")}`;
    return `${checksum(body)} ${body}`;
  }

  /**
   * Takes what was stored, if it is whole and of this room and viewer.
   *
   * @param {unknown} text
   */
  read(text) {
    try {
      const { index, texts } = split(text, this.#limits.characters + (64 << 10));
      const { url, viewer, client, epoch, v, term, mirrors } = index;
      const isHere = url === this.#home.url && viewer === this.#home.viewer;
      if (!isHere || index.format !== format || !isIndex(index)) return;
      const isAhead = (/** @type {KeptMirror} */ kept) => kept.since > kept.v || kept.v > v;
      if (mirrors.some(isAhead)) return;
      const isSameClient = client === stampId(this.#home.client, 0);
      let end = 0;
      for (const { select, params, v, since, tag, included, length } of mirrors) {
        this.#mirrors.set(new Mirror(select, params).key, {
          ...{ select, params, v, since, tag },
          // Another client's dispatches have other numbers.
          included: isSameClient ? included : 0,
          text: texts.slice(end, (end += length)),
        });
      }
      if (end !== texts.length) throw new Error("It is damaged.");
      this.#epoch = epoch;
      this.start = { position: { epoch, version: v }, term };
      this.#trim();
    } catch {
      this.#mirrors.clear();
    }
  }

  /** Lets go of what wasn't followed for the longest time, until the rest fits. */
  #trim() {
    let characters = 0;
    for (const mirror of this.#mirrors.values()) characters += sizeOf(mirror);
    for (const [key, mirror] of this.#mirrors) {
      if (characters <= this.#limits.characters) return;
      characters -= sizeOf(mirror);
      this.#mirrors.delete(key);
    }
  }
}

/** @param {KeptMirror} mirror */
function sizeOf({ select, params, tag, text }) {
  return overhead + JSON.stringify([select, params, tag]).length + text.length;
}

/**
 * The index of a text, and the values' texts one behind the other.
 *
 * @param {unknown} text
 * @param {number} most
 * @throws {Error} if it isn't whole
 */
function split(text, most) {
  if (typeof text !== "string" || text.length > most) throw new Error("It is no text of a cache.");
  const space = text.indexOf(" ");
  const body = text.slice(space + 1);
  if (text.slice(0, space) !== checksum(body)) throw new Error("It is damaged.");
  const end = body.indexOf("\n");
  return { index: JSON.parse(body.slice(0, end)), texts: body.slice(end + 1) };
}

/**
 * FNV-1a over a text's units: finds what was torn or damaged.
 *
 * @param {string} text
 */
function checksum(text) {
  let sum = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(place), 0x01000193);
  }
  return (sum >>> 0).toString(16);
}
