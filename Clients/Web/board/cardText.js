import { applyEdit, editOf, sharedText } from "../storecast/index.js";

/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("../storecast/index.js").TextEdit} TextEdit */

/** The board's limits: the most Unicode scalars of a text, and how much it remembers of edits. */
const longest = 500;
const memory = 200;

/**
 * A card's text, for edits to be made of.
 *
 * @param {Card} card
 */
export const sharedTextOf = ({ text, edited }) => edited ?? sharedText(text, memory);

/**
 * What an edit makes of a card's text; nothing if it doesn't fit, as for the server.
 *
 * @param {Card} card
 * @param {TextEdit} edit
 */
export function editedText(card, edit) {
  const edited = applyEdit(sharedTextOf(card), edit);
  const isTooLong = [...edited.text].length > longest;
  return isTooLong || edited.text.trim() === "" ? {} : { text: edited.text, edited };
}

/**
 * What becomes of a card's text when it is replaced.
 *
 * @param {Card} card
 * @param {string} text
 */
export function replacedText(card, text) {
  const shared = sharedTextOf(card);
  const edit = editOf(shared, "server", text);
  return edit ? { text, edited: applyEdit(shared, edit) } : {};
}

/**
 * The card whose text a dialog follows: what is done to other parts of it isn't looked at.
 *
 * @param {Card | null} card
 * @param {import("./reducers.js").Action} action
 */
export function cardReducer(card, { type, payload }) {
  if (!card || payload?.card !== card.id) return card;
  if (type === "EditCardText") return { ...card, ...editedText(card, payload.edit) };
  return type === "EditCard" ? { ...card, ...replacedText(card, payload.text) } : card;
}

/**
 * What was in the field that edits were made of, by the edits' JSON.
 *
 * @type {Map<string, string>}
 */
const written = new Map();

/**
 * The texts that edits were made of; those of two cards may have the same JSON.
 *
 * @type {WeakMap<TextEdit, import("../storecast/index.js").SharedText>}
 */
const bases = new WeakMap();

/**
 * Notes the text that somebody has made with an edit, for it to be shown if that is refused, and
 * of what, for it to be undone.
 *
 * @param {TextEdit} edit
 * @param {string} text
 * @param {import("../storecast/index.js").SharedText} base
 */
export function remember(edit, text, base) {
  written.set(JSON.stringify(edit), text);
  bases.set(edit, base);
}

/**
 * The text of which somebody has made an edit with this page; undefined if that isn't known.
 *
 * @param {TextEdit} edit
 */
export const baseOf = (edit) => bases.get(edit);

/**
 * The text that somebody has made with an edit; of one from before the page was loaded, what it
 * puts in.
 *
 * @param {TextEdit} edit
 */
export const textOf = (edit) =>
  written.get(JSON.stringify(edit)) ??
  edit.changes.map(({ insert }) => insert).filter(Boolean).join(" … ");
