import { utf8Length } from "../wire/ClientFrame.js";
import { textChanges } from "./textChanges.js";

/**
 * What an editor of a shared text has seen of it: all edits up to `base`, and so many of their own,
 * which came after it or are still to come.
 *
 * @typedef {{ readonly editor: string, readonly base: number, readonly own: number }} TextVersion
 */

/**
 * A part of a text that is replaced by another. `at` and `delete` count Unicode scalars (code
 * points), in the text before the edit.
 *
 * @typedef {{ readonly at: number, readonly delete: number, readonly insert: string }} TextChange
 */

/**
 * An edit of a shared text, for an action to carry.
 *
 * @typedef {{ readonly version: TextVersion, readonly changes: readonly TextChange[] }} TextEdit
 */

/**
 * A text that several edit at once without losing anything, as Swift's `SharedText` has it in a
 * room's state. `text` is what to show; the rest is what is remembered of recent edits.
 *
 * @typedef {object} SharedText
 * @property {string} text
 * @property {number} revision  how many edits have been applied
 * @property {number} memory  how much is remembered of recent ones, at most
 * @property {number} folded  everybody is taken to have seen the edits up to this one
 * @property {readonly Turn[]} turns  from the one with the edit `folded`
 * @property {readonly Span[]} spans
 */

/**
 * A run of edits of one editor, beginning with the edit `from`.
 *
 * @typedef {{ readonly editor: string, readonly from: number }} Turn
 */

/**
 * Scalars beside one another that came and went with the same edits. Those that are deleted aren't
 * in the text any more.
 *
 * @typedef {{ readonly count: number, readonly inserted?: number | undefined,
 *     readonly deleted?: readonly number[] | undefined }} Span
 */

const mostChanges = 100;
const largest = 2 ** 48;

/**
 * A text that nobody has edited yet.
 *
 * @param {string} [text]
 * @param {number} [memory]
 * @returns {SharedText}
 */
export function sharedText(text = "", memory = 1000) {
  const count = scalarsOf(text).length;
  return { text, revision: 0, memory, folded: 0, turns: [], spans: count > 0 ? [{ count }] : [] };
}

/**
 * What an editor has seen to whom this text is shown, their own waiting edits included.
 *
 * @param {SharedText} shared
 * @param {string} editor
 * @returns {TextVersion}
 */
export function textVersion({ turns, revision }, editor) {
  // Their own edits at the end may be in the log already, or be waiting: it says the same.
  const last = turns.at(-1);
  if (last?.editor !== editor) return { editor, base: revision, own: 0 };
  return { editor, base: last.from - 1, own: revision - last.from + 1 };
}

/**
 * The edit by which an editor makes another text of this one, as it is shown to them; undefined if
 * it is the same. What both have in common, whole words of it, is left as it is.
 *
 * @param {SharedText} shared
 * @param {string} editor  the `participant` of the connection that dispatches the edit
 * @param {string} text
 * @returns {TextEdit | undefined}
 */
export function editOf(shared, editor, text) {
  const changes = textChanges(scalarsOf(shared.text), scalarsOf(text), mostChanges);
  if (changes.length === 0) return undefined;
  return { version: textVersion(shared, editor), changes };
}

/**
 * The text after an edit, for optimistic reducers; the same object if the edit can't be applied.
 *
 * @param {SharedText} shared
 * @param {TextEdit} edit
 * @returns {SharedText}
 */
export function applyEdit(shared, { version, changes }) {
  const shows = sight(shared, version);
  if (!shows || !areWellFormed(changes)) return shared;
  const edit = shared.revision + 1;
  const weaver = new Weaver(shared.text, changes, edit);
  for (const span of shared.spans) weaver.pass(span, shows(span));
  if (!weaver.isDone) return shared;
  const isSameTurn = shared.turns.at(-1)?.editor === version.editor;
  const turn = { editor: version.editor, from: edit };
  const edited = {
    ...shared,
    text: weaver.text.join(""),
    revision: edit,
    turns: isSameTurn ? shared.turns : [...shared.turns, turn],
    spans: weaver.spans,
  };
  return folded(edited);
}

/**
 * Where a cursor stands of an editor who was shown `older` and is shown `newer` now, both in UTF-16
 * code units as a text field's `selectionStart` is. At the same distance from the beginning, if it
 * can't be told.
 *
 * @param {number} cursor
 * @param {SharedText} older
 * @param {SharedText} newer
 * @param {string} editor
 */
export function moveCursor(cursor, older, newer, editor) {
  const distance = scalarsOf(older.text.slice(0, cursor)).length;
  const place = offsetNow(newer, distance, textVersion(older, editor)) ?? distance;
  return scalarsOf(newer.text).slice(0, place).join("").length;
}

/**
 * Where an offset in a version of the text is now, both in Unicode scalars: behind the same scalar,
 * or where that was; undefined if it can't be told. For cursors of others, which travel as a
 * version and an offset.
 *
 * @param {SharedText} shared
 * @param {number} offset
 * @param {TextVersion} version
 * @returns {number | undefined}
 */
export function offsetNow(shared, offset, version) {
  const shows = sight(shared, version);
  if (!shows || offset < 0) return undefined;
  let before = 0;
  let now = 0;
  for (const span of shared.spans) {
    if (before >= offset) break;
    const isSeen = shows(span);
    const count = isSeen ? Math.min(span.count, offset - before) : span.count;
    if (isSeen) before += count;
    if (!span.deleted) now += count;
  }
  return before === offset ? now : undefined;
}

/** @param {string} text */
const scalarsOf = (text) => Array.from(text.replace(/\p{Surrogate}/gu, "\ufffd"));

/** @param {unknown} number */
const isCount = (number) =>
  typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= largest;

/** @param {readonly TextChange[]} changes */
function areWellFormed(changes) {
  let end = -1;
  for (const change of changes) {
    if (!isCount(change.at) || change.at <= end || !isCount(change.delete)) return false;
    if (change.delete === 0 && change.insert === "") return false;
    end = change.at + change.delete;
  }
  return changes.length > 0 && changes.length <= mostChanges;
}

/**
 * Tells which spans somebody sees; undefined if that isn't known.
 *
 * @param {SharedText} shared
 * @param {TextVersion} version
 * @returns {((span: Span) => boolean) | undefined}
 */
export function sight(shared, version) {
  const { editor, base, own } = version;
  const size = utf8Length(editor);
  if (size < 1 || size > 64 || !isCount(base) || !isCount(own)) return undefined;
  const last = lastOwn(shared, version);
  if (last === undefined || !isKnown(shared, version, last)) return undefined;
  /** @param {number} edit */
  const sees = (edit) => edit <= base || (edit <= last && editorOf(shared, edit) === editor);
  return ({ inserted, deleted }) =>
    (inserted === undefined || sees(inserted)) && !deleted?.some(sees);
}

/**
 * Whether what is left of the version's text can be told from what isn't: all edits that are folded
 * are in it, those that the version's base doesn't have because they are its editor's.
 *
 * @param {SharedText} shared
 * @param {TextVersion} version
 * @param {number} last
 */
function isKnown(shared, { editor, base }, last) {
  if (base >= shared.folded) return true;
  const [first] = shared.turns;
  const isOwn = editorOf(shared, shared.folded) === editor && last >= shared.folded;
  return isOwn && first !== undefined && first.from <= base + 1;
}

/**
 * The last edit of their own that the version's editor has seen; undefined if it isn't there.
 *
 * @param {SharedText} shared
 * @param {TextVersion} version
 */
export function lastOwn({ turns, revision }, { editor, base, own }) {
  if (base > revision) return undefined;
  if (own === 0) return base;
  let missing = own;
  for (const [place, turn] of turns.entries()) {
    if (turn.editor !== editor) continue;
    const end = (turns[place + 1]?.from ?? revision + 1) - 1;
    const first = Math.max(turn.from, base + 1);
    if (first > end) continue;
    if (missing <= end - first + 1) return first + missing - 1;
    missing -= end - first + 1;
  }
  return undefined;
}

/**
 * Undefined if it isn't known any more. O(log turns).
 *
 * @param {SharedText} shared
 * @param {number} edit
 */
export function editorOf({ turns }, edit) {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.from ?? 0) <= edit) low = middle + 1;
    else high = middle;
  }
  return turns[low - 1]?.editor;
}

/**
 * Forgets the oldest edits until no more is remembered than may be.
 *
 * @param {SharedText} shared
 */
function folded(shared) {
  while (weight(shared) > shared.memory && shared.folded < shared.revision) shared = fold(shared);
  return shared;
}

/** @param {SharedText} shared */
const weight = ({ turns, spans }) =>
  spans.reduce((sum, { deleted }) => sum + 1 + (deleted?.length ?? 0), turns.length);

/**
 * Forgets the oldest edit that a span knows of, and all before it.
 *
 * @param {SharedText} shared
 * @returns {SharedText}
 */
function fold(shared) {
  let oldest = shared.revision;
  for (const { inserted, deleted } of shared.spans) {
    oldest = Math.min(oldest, inserted ?? oldest, deleted?.[0] ?? oldest);
  }
  /** @type {Span[]} */
  const spans = [];
  for (const span of shared.spans) {
    if ((span.deleted?.[0] ?? Infinity) <= oldest) continue;
    const { inserted, ...rest } = span;
    append(spans, (inserted ?? 0) <= oldest ? rest : span);
  }
  const behind = shared.turns.findIndex(({ from }) => from > oldest);
  const first = Math.max(0, (behind < 0 ? shared.turns.length : behind) - 1);
  return { ...shared, folded: oldest, spans, turns: shared.turns.slice(first) };
}

/**
 * Appends a span, to the last one if both came and went with the same edits.
 *
 * @param {Span[]} spans
 * @param {Span} span
 */
function append(spans, span) {
  const last = spans.at(-1);
  const isSame =
    last !== undefined &&
    last.inserted === span.inserted &&
    (last.deleted?.join() ?? "") === (span.deleted?.join() ?? "");
  if (isSame) spans[spans.length - 1] = { ...last, count: last.count + span.count };
  else spans.push(span);
}

/** Goes through the spans of a text and makes the changes of one edit. */
class Weaver {
  /** @type {string[]} */
  text = [];
  /** @type {Span[]} */
  spans = [];
  /** How many scalars have been passed that the editor saw. */
  #seen = 0;
  /** How many changes' places have been reached. */
  #begun = 0;
  #toDelete = 0;
  #old;
  /** How many scalars of the text before have been passed. */
  #passed = 0;
  #changes;
  #edit;

  /**
   * @param {string} text
   * @param {readonly TextChange[]} changes
   * @param {number} edit
   */
  constructor(text, changes, edit) {
    this.#old = scalarsOf(text);
    this.#changes = changes;
    this.#edit = edit;
    this.#begin();
  }

  get isDone() {
    return this.#begun === this.#changes.length && this.#toDelete === 0;
  }

  /**
   * @param {Span} span
   * @param {boolean} isSeen
   */
  pass(span, isSeen) {
    if (!isSeen) return this.#emit(span, span.count, false);
    for (let left = span.count; left > 0; ) {
      const next = this.#changes[this.#begun];
      const isDeleted = this.#toDelete > 0;
      const most = isDeleted ? this.#toDelete : next ? next.at - this.#seen : left;
      const count = Math.min(left, most);
      if (isDeleted) this.#toDelete -= count;
      this.#emit(span, count, isDeleted);
      this.#seen += count;
      left -= count;
      this.#begin();
    }
  }

  /**
   * Inserts what belongs here: right behind what its editor saw before it, and so before what
   * others have inserted at the same place meanwhile.
   */
  #begin() {
    const change = this.#changes[this.#begun];
    if (this.#toDelete > 0 || change?.at !== this.#seen) return;
    this.#begun += 1;
    this.#toDelete = change.delete;
    const inserted = scalarsOf(change.insert);
    if (inserted.length === 0) return;
    this.text.push(...inserted);
    append(this.spans, { count: inserted.length, inserted: this.#edit });
  }

  /**
   * @param {Span} span
   * @param {number} count
   * @param {boolean} isDeleted
   */
  #emit(span, count, isDeleted) {
    if (!span.deleted) {
      const end = this.#passed + count;
      if (!isDeleted) this.text.push(this.#old.slice(this.#passed, end).join(""));
      this.#passed = end;
    }
    const deleted = isDeleted ? [...(span.deleted ?? []), this.#edit] : span.deleted;
    append(this.spans, { ...span, count, ...(deleted && { deleted }) });
  }
}
