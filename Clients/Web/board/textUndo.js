import { textVersion } from "../storecast/index.js";
import { editorOf, lastOwn, sight } from "../storecast/text/SharedText.js";

/** @typedef {import("../storecast/index.js").SharedText} SharedText */
/** @typedef {import("../storecast/index.js").TextChange} TextChange */
/** @typedef {import("../storecast/index.js").TextEdit} TextEdit */
/** @typedef {import("../storecast/text/SharedText.js").Span} Span */

/**
 * A span of a text, and what an edit that is to be taken back knew of it.
 *
 * @typedef {object} Piece
 * @property {Span} span
 * @property {boolean} isSeen  whether the edit was made of a text that had it
 * @property {string} text  empty if it isn't known
 */

/**
 * The edit that takes another one out of a text: what that has inserted goes, and what it has
 * deleted comes back. If somebody else has deleted the same and put something in its place, that
 * stays instead; and what somebody else has brought back comes once.
 *
 * @param {TextEdit} edit
 * @param {SharedText} base  the text of which it was made
 * @param {SharedText} now
 * @returns {TextEdit | undefined}  undefined if nothing of it is left to take out
 */
export function undoOf(edit, base, now) {
  const { editor, own } = edit.version;
  const number = lastOwn(now, { ...edit.version, own: own + 1 });
  const shows = sight(now, edit.version);
  if (number === undefined || !shows) return inverseOf(edit, base);
  const pieces = piecesOf(now, base, shows);
  const isMine = (/** @type {Piece} */ { span }) => span.deleted?.includes(number);
  const isTaken = pieces.map(
    (piece, index) => isMine(piece) && isElsewhere(pieces, index, { now, editor, number })
  );
  // Placed by what the edit saw, which is more exact.
  if (!isTaken.includes(true)) return inverseOf(edit, base);
  /** @type {TextChange[]} */
  const changes = [];
  let place = 0;
  pieces.forEach((piece, index) => {
    const { count, inserted, deleted } = piece.span;
    if (inserted === number && !deleted) add(changes, place, count, "");
    if (isMine(piece) && !isTaken[index]) add(changes, place, 0, piece.text);
    if (!deleted) place += count;
  });
  return changes.length > 0 ? { version: textVersion(now, editor), changes } : undefined;
}

/**
 * What puts the text of which an edit was made in place of what it made.
 *
 * @param {TextEdit} edit
 * @param {SharedText} base
 * @returns {TextEdit}
 */
function inverseOf({ version, changes }, base) {
  const old = Array.from(base.text);
  let moved = 0;
  const back = changes.map(({ at, delete: count, insert }) => {
    const size = Array.from(insert).length;
    const change = { at: at + moved, delete: size, insert: old.slice(at, at + count).join("") };
    moved += size - count;
    return change;
  });
  return { version: { ...version, own: version.own + 1 }, changes: back };
}

/**
 * @param {SharedText} now
 * @param {SharedText} base
 * @param {(span: Span) => boolean} shows
 * @returns {Piece[]}
 */
function piecesOf(now, base, shows) {
  const [old, scalars] = [Array.from(base.text), Array.from(now.text)];
  return now.spans.map((span) => {
    const isSeen = shows(span);
    const seen = isSeen ? old.splice(0, span.count) : [];
    const left = span.deleted ? [] : scalars.splice(0, span.count);
    return { span, isSeen, text: (isSeen ? seen : left).join("") };
  });
}

/**
 * Whether somebody else has deleted the same, and what they have put there instead is there; or
 * they have brought it back.
 *
 * @param {Piece[]} pieces
 * @param {number} index
 * @param {{ now: SharedText, editor: string, number: number }} edit
 */
function isElsewhere(pieces, index, { now, editor, number }) {
  const isOpen = (/** @type {Piece | undefined} */ piece) =>
    piece !== undefined && (!piece.isSeen || piece.span.deleted !== undefined);
  let [start, end] = [index, index + 1];
  while (isOpen(pieces[start - 1])) start -= 1;
  while (isOpen(pieces[end])) end += 1;
  const { span, text } = /** @type {Piece} */ (pieces[index]);
  const news = pieces.slice(start, end).filter((piece) => !piece.isSeen && !piece.span.deleted);
  return (span.deleted ?? []).some((other) => {
    const who = editorOf(now, other);
    if (other === number || who === editor) return false;
    return news.some(({ span: { inserted = 0 }, text: theirs }) =>
      inserted === other ||
      (inserted > other && editorOf(now, inserted) === who && theirs.includes(text))
    );
  });
}

/**
 * @param {TextChange[]} changes
 * @param {number} at
 * @param {number} count
 * @param {string} insert
 */
function add(changes, at, count, insert) {
  const last = changes.at(-1);
  if (!last || at > last.at + last.delete) return void changes.push({ at, delete: count, insert });
  const both = { at: last.at, delete: last.delete + count, insert: last.insert + insert };
  changes[changes.length - 1] = both;
}
