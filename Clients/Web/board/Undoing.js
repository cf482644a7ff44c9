import { applyEdit, editOf } from "../storecast/index.js";
import { baseOf, sharedTextOf } from "./cardText.js";
import { excerpt } from "./sentences.js";
import { undoOf } from "./textUndo.js";

/** @typedef {import("./reducers.js").Action} Action */
/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Column} Column */

/**
 * What is shown just before an act.
 *
 * @typedef {object} Shown
 * @property {(id: string) => Card | undefined} card
 * @property {(column: string) => readonly Card[]} cardsOf  from top to bottom
 * @property {readonly Column[]} columns
 * @property {string} me
 * @property {string} participant
 */

/**
 * How an act is taken back.
 *
 * @typedef {object} Inverse
 * @property {string} done  what was done, as a sentence
 * @property {(shown: Shown, id: string) => Action | undefined} action  makes the action that takes
 *     it back, when that is asked for, if anything is left of it; `id` is that of the act's stamp
 */

/** How many neighbours are remembered: one of them will still be where it was. */
const neighbours = 20;

/**
 * How an act is to be taken back; undefined if it can't be, or does nothing.
 *
 * What comes of it is decided by the server: `isUndo` says that the act is taken back only if
 * nobody else has done the same to the card or column since, and edits of a text are taken out of
 * it as it is then.
 *
 * @param {Action} act
 * @param {Shown} shown
 * @returns {Inverse | undefined}
 */
export function inverseOf({ type, payload }, shown) {
  const card = payload?.card === undefined ? undefined : shown.card(payload.card);
  if (card) return ofCard[type]?.(card, payload, shown);
  const column = shown.columns.find(({ id }) => id === payload?.column);
  return column ? ofColumn[type]?.(column, payload, shown) : ofBoard[type]?.(payload);
}

/** @type {Record<string, (card: Card, payload: any, shown: Shown) => Inverse | undefined>} */
const ofCard = {
  EditCardText(card, { edit }, { participant }) {
    const before = sharedTextOf(card);
    const { text } = applyEdit(before, edit);
    if (text === before.text) return undefined;
    const base = baseOf(edit) ?? before;
    return {
      done: "Text changed.",
      action: (shown) => {
        const now = shown.card(card.id);
        const shared = now ? sharedTextOf(now) : before;
        const isAsLeft = shared.text === text;
        const back = isAsLeft
          ? editOf(shared, participant, before.text)
          : undoOf(edit, base, shared);
        return back && { type: "EditCardText", payload: { card: card.id, edit: back } };
      },
    };
  },
  AssignCard({ id, assignee }, payload) {
    if (assignee === payload.assignee) return undefined;
    const back = { card: id, ...(assignee && { assignee }), isUndo: true };
    const done = payload.assignee ? "Card assigned." : "Nobody does the card any more.";
    return { done, action: () => ({ type: "AssignCard", payload: back }) };
  },
  MoveCard({ id, column, text }, payload, shown) {
    const below = belowOf(id, shown.cardsOf(column));
    return {
      done: `${excerpt(text)} moved.`,
      action: (now) => ({
        type: "MoveCard",
        payload: { card: id, column, ...placeAbove(below, now.cardsOf(column)), isUndo: true },
      }),
    };
  },
  RemoveCard({ id, column, text }, payload, shown) {
    const below = belowOf(id, shown.cardsOf(column));
    return {
      done: `${excerpt(text)} removed.`,
      action: (now) => ({
        type: "RestoreCard",
        payload: { card: id, ...placeAbove(below, now.cardsOf(column)) },
      }),
    };
  },
  Vote({ id, voters }, payload, { me }) {
    if (voters.includes(me)) return undefined;
    return { done: "Voted.", action: () => ({ type: "Unvote", payload: { card: id } }) };
  },
  Unvote({ id, voters }, payload, { me }) {
    if (!voters.includes(me)) return undefined;
    return { done: "Vote taken back.", action: () => ({ type: "Vote", payload: { card: id } }) };
  },
};

/** @type {Record<string, (column: Column, payload: any, shown: Shown) => Inverse | undefined>} */
const ofColumn = {
  AddCard: (column, { text }) => ({
    done: `${excerpt(text)} added.`,
    action: (now, id) => ({ type: "RemoveCard", payload: { card: id, isUndo: true } }),
  }),
  RenameColumn({ id, title }, payload) {
    if (title === payload.title) return undefined;
    const back = { column: id, title, isUndo: true };
    return { done: "Column renamed.", action: () => ({ type: "RenameColumn", payload: back }) };
  },
  MoveColumn({ id, title }, payload, { columns }) {
    const right = belowOf(id, columns);
    return {
      done: `${title} moved.`,
      action: (now) => ({
        type: "MoveColumn",
        payload: { column: id, ...placeAbove(right, now.columns), isUndo: true },
      }),
    };
  },
  RemoveColumn({ id, title }, payload, { columns }) {
    const right = belowOf(id, columns);
    return {
      done: `${title} removed.`,
      // It was empty, so a new one is as good.
      action: (now) => ({
        type: "AddColumn", payload: { title, ...placeAbove(right, now.columns) },
      }),
    };
  },
};

/** @type {Record<string, (payload: any) => Inverse | undefined>} */
const ofBoard = {
  AddColumn: ({ title }) => ({
    done: `${title} added.`,
    action: (now, id) => ({ type: "RemoveColumn", payload: { column: id } }),
  }),
};

/**
 * What is next to something, nearest first.
 *
 * @param {string} id
 * @param {readonly { id: string }[]} items
 */
function belowOf(id, items) {
  const place = items.findIndex((item) => item.id === id);
  if (place < 0) return [];
  return items.slice(place + 1, place + 1 + neighbours).map((item) => item.id);
}

/**
 * The nearest old neighbour that is still there, to be put above; none for the end.
 *
 * @param {readonly string[]} below
 * @param {readonly { id: string }[]} items
 * @returns {{ before?: string }}
 */
function placeAbove(below, items) {
  const there = new Set(items.map(({ id }) => id));
  const before = below.find((id) => there.has(id));
  return before === undefined ? {} : { before };
}

/** One's own last acts, which can be taken back, the last one first. */
export class Undoing {
  /**
   * Oldest first.
   *
   * @type {Entry[]}
   */
  #done = [];
  #most;

  /** @param {number} most  how many are remembered */
  constructor(most = 50) {
    this.#most = most;
  }

  /** How many acts can be taken back. */
  get count() {
    return this.#done.length;
  }

  /**
   * Notes an act that was dispatched.
   *
   * @param {Inverse} inverse
   * @param {{ id: string, outcome: Promise<unknown> }} act  the id of its stamp, and its outcome
   * @returns {Entry}
   */
  did(inverse, { id, outcome }) {
    const entry = { inverse, id };
    this.#done.push(entry);
    if (this.#done.length > this.#most) this.#done.shift();
    // What was refused isn't done.
    outcome.catch(() => this.#forget(entry));
    return entry;
  }

  /**
   * The action that takes an act back, the last one if none is named, and what that did; undefined
   * if there is none. Each act is taken back once.
   *
   * @param {Shown} shown
   * @param {Entry} [entry]
   * @returns {{ action: Action | undefined, done: string } | undefined}
   */
  undo(shown, entry = this.#done.at(-1)) {
    if (!entry || !this.#forget(entry)) return undefined;
    return { action: entry.inverse.action(shown, entry.id), done: entry.inverse.done };
  }

  /** @param {Entry} entry */
  #forget(entry) {
    const place = this.#done.indexOf(entry);
    if (place >= 0) this.#done.splice(place, 1);
    return place >= 0;
  }
}

/**
 * An act that can be taken back.
 *
 * @typedef {{ inverse: Inverse, id: string }} Entry
 */
