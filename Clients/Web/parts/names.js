/**
 * What people are shown of texts that others chose. The rule is that of `HiddenText.swift`, and of
 * Tests/Vectors/names.json.
 */

/** Controls text or reorders it. */
const controls =
  "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f";
/** Can't be seen. */
const unseen =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u2800" +
  "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}" +
  "\\u{e0000}-\\u{e0fff}";
const spaces = "\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
const emoji =
  "[\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u27ff\\u2900-\\u2bff\\u3030\\u303d\\u3297" +
  "\\u3299\\u{1f000}-\\u{1faff}]";

const hidden = new RegExp(`[${controls}${unseen}]`, "gu");
const blank = new RegExp(`^[${controls}${unseen}${spaces}]*$`, "u");
/** Makes one emoji of others: the selector behind one, and the joiner between two. */
const joining = new RegExp(
  `(?<=${emoji})\\ufe0f|(?<=${emoji}\\ufe0f?)\\u200d(?=${emoji})`, "gu",
);

/**
 * The text for people: what controls, reorders or hides text is an escape, as `\u202e`; all of a
 * text that is blank.
 *
 * @param {string} text
 */
export function shown(text) {
  if (blank.test(text)) return text.replace(/[^]/gu, escaped);
  const kept = new Set([...text.matchAll(joining)].map(({ index }) => index));
  return text.replace(hidden, (character, place) =>
    kept.has(place) ? character : escaped(character)
  );
}

/**
 * Whether it may be shown as somebody's name: it isn't blank, and hides nothing.
 *
 * @param {string} text
 */
export const isShowable = (text) => !blank.test(text) && shown(text) === text;

/** @param {string} character */
function escaped(character) {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
