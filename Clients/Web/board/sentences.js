import { textOf } from "./cardText.js";

/**
 * What was tried, as the beginning of a sentence.
 *
 * @type {Record<string, string>}
 */
const attempts = {
  AddCard: "The card was not added",
  EditCard: "The card was not changed",
  EditCardText: "The card was not changed",
  AssignCard: "The card was not assigned",
  MoveCard: "The card was not moved",
  RemoveCard: "The card was not removed",
  RestoreCard: "It can't be undone any more",
  Vote: "Your vote was not taken",
  Unvote: "Your vote was not taken back",
  AddColumn: "The column was not added",
  RenameColumn: "The column was not renamed",
  MoveColumn: "The column was not moved",
  RemoveColumn: "The column was not removed",
  Say: "Your message was not sent",
};

/**
 * Says that something didn't happen, and why.
 *
 * @param {import("../storecast/index.js").Rejection} rejection
 * @param {{ type: string, payload?: any }} action
 */
export function refusal({ code, title, message }, { type, payload }) {
  // What a conflict adds is which card or column it is, by its id.
  const reason = code === "conflict" ? title : message;
  if (payload?.isUndo) return `${attempts.RestoreCard}: ${reason}`;
  return `${attempts[type] ?? "Something was not done"}: ${reason}`;
}

/**
 * What somebody typed in an action, to be shown if that is refused; empty if nothing.
 *
 * @param {{ type: string, payload?: any }} action
 * @returns {string}
 */
export function typed({ type, payload }) {
  if (type === "EditCardText") return textOf(payload.edit);
  if (["AddColumn", "RenameColumn"].includes(type)) return payload.title;
  return ["AddCard", "EditCard", "Say"].includes(type) ? payload.text : "";
}

/**
 * @param {number} count
 * @param {string} one
 */
export const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/**
 * The beginning of a text, to name what has it.
 *
 * @param {string} text
 */
export function excerpt(text) {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length > 60 ? `${letters.slice(0, 59).join("")}…` : letters.join("");
}

/**
 * What is said in place of what the server has yet to send.
 *
 * @param {import("../storecast/index.js").Status} status
 */
export function awaited({ state }) {
  const isHere = state === "connecting" || state === "live";
  return {
    board: isHere
      ? "The board is on its way…"
      : "This board wasn't opened in this browser before: it comes when there is a connection.",
    search: isHere ? "Searching…" : "The search needs a connection to the server.",
  };
}
