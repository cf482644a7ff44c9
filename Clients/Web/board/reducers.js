import { editedText, replacedText } from "./cardText.js";

/**
 * What actions make of what is shown, before the server has answered: the board's own rules, as far
 * as one selection alone allows. Everything that hasn't been confirmed is marked `isPending`.
 *
 * @typedef {{ id: string, column: string, text: string, assignee?: string, voters: string[],
 *     author: string, created: number, isPending?: boolean,
 *     edited?: import("../storecast/index.js").SharedText }} Card
 * @typedef {import("../storecast/index.js").RowPage<Card> & {
 *     away?: ReadonlyMap<string, Card> }} Page  with those cards that aren't on it and that pending
 *     actions were about, as they have left them
 * @typedef {{ id: string, title: string, count: number, isPending?: boolean }} Column
 * @typedef {{ id: string, author: string, text: string, time: number,
 *     isPending?: boolean }} Message
 * @typedef {{ type: string, payload?: any }} Action
 * @typedef {{ readonly id: string }} Stamp
 */

/**
 * @template {{ id: string }} Item
 * @param {readonly Item[]} items
 * @param {Item} item
 * @param {string | undefined} before  at the end, if there is no such item
 */
function insert(items, item, before) {
  const index = items.findIndex(({ id }) => id === before);
  return index < 0 ? [...items, item] : [...items.slice(0, index), item, ...items.slice(index)];
}

/**
 * @template {{ id: string }} Item
 * @param {readonly Item[]} items
 * @param {string} id
 * @param {(item: Item) => object} change
 */
const change = (items, id, change) =>
  items.map((item) => (item.id === id ? { ...item, ...change(item), isPending: true } : item));

/**
 * @param {string} column
 * @param {string} me
 * @param {(id: string) => Card | undefined} find  looks for a card that is shown elsewhere, or that
 *     was removed
 * @param {(id: string) => Card | undefined} [known]  looks for a card as the server has it, in all
 *     columns. What is pending is done to it here once more, as it isn't known what of that another
 *     column has done to its own
 * @returns {(page: Page, action: Action, stamp: Stamp) => Page}
 */
export function pageReducer(column, me, find, known = () => undefined) {
  return (page, action, stamp) => {
    const { type, payload } = action;
    const id = type === "AddCard" ? stamp.id : payload?.card;
    if (id === undefined) return page;
    const comes = type === "RestoreCard" || (type === "MoveCard" && payload.column === column);
    const here = page.rows.find((card) => card.id === id);
    const old = here ?? page.away?.get(id) ?? known(id) ?? (comes ? find(id) : undefined);
    const card = type === "AddCard" ? newCard(id, payload, me) : old && changed(old, action, me);
    if (!card) return page;
    const rows = rowsWith(card, page, action, column);
    if (rows.includes(card)) return { ...page, rows };
    return { ...page, rows, away: new Map(page.away).set(id, card) };
  };
}

/**
 * What an action makes of its card.
 *
 * @param {Card} card
 * @param {Action} action
 * @param {string} me
 * @returns {Card}
 */
function changed(card, { type, payload }, me) {
  const { voters } = card;
  /** @type {Record<string, () => object | false>} */
  const changes = {
    EditCard: () => replacedText(card, payload.text),
    EditCardText: () => editedText(card, payload.edit),
    AssignCard: () => ({ assignee: payload.assignee }),
    Vote: () => ({ voters: voters.includes(me) ? voters : [...voters, me] }),
    Unvote: () => ({ voters: voters.filter((voter) => voter !== me) }),
    MoveCard: () => payload.before !== card.id && { column: payload.column },
    RestoreCard: () => ({}),
  };
  const made = changes[type]?.();
  return made ? { ...card, ...made, isPending: true } : card;
}

/**
 * A page's cards after an action on one of them, or on one that may come.
 *
 * @param {Card} card  as the action leaves it
 * @param {Page} page
 * @param {Action} action
 * @param {string} column
 * @returns {readonly Card[]}
 */
function rowsWith(card, page, { type, payload }, column) {
  const others = page.rows.filter(({ id }) => id !== card.id);
  const isHere = others.length < page.rows.length;
  switch (type) {
    case "RemoveCard":
      return others;
    case "MoveCard":
      if (payload.before === card.id) return page.rows;
      return card.column === column ? place(page, others, card, payload.before) : others;
    case "AddCard":
    case "RestoreCard":
      if (card.column !== column || isHere) return page.rows;
      return place(page, page.rows, card, payload.before);
    default:
      return page.rows.map((row) => (row.id === card.id ? card : row));
  }
}

/**
 * What actions make of cards that were found, in whatever columns: of those alone.
 *
 * @param {string} me
 * @returns {(page: Page, action: Action, stamp: Stamp) => Page}
 */
export function foundReducer(me) {
  const reduce = pageReducer("", me, () => undefined);
  return (page, action, stamp) => {
    if (action.type !== "MoveCard") return reduce(page, action, stamp);
    const { card, column } = action.payload;
    return { ...page, rows: change(page.rows, card, () => ({ column })) };
  };
}

/**
 * Puts a card among those of a page, if that is where it goes: others may be above and below them.
 *
 * @param {Page} page
 * @param {readonly Card[]} cards
 * @param {Card} card
 * @param {string | undefined} before
 */
function place(page, cards, card, before) {
  const isKnown = before !== undefined && cards.some(({ id }) => id === before);
  const isElsewhere = page.hasAfter || (page.hasBefore && before !== undefined);
  return isElsewhere && !isKnown ? cards : insert(cards, card, before);
}

/**
 * @param {string} id
 * @param {{ column: string, text: string }} payload
 * @param {string} me
 */
const newCard = (id, { column, text }, me) => ({
  id,
  column,
  text,
  voters: [],
  author: me,
  created: Date.now() / 1000,
  isPending: true,
});

/**
 * @param {Column[]} columns
 * @param {Action} action
 * @param {Stamp} stamp
 */
export function columnsReducer(columns, { type, payload }, { id }) {
  switch (type) {
    case "AddColumn": {
      const column = { id, title: payload.title, count: 0, isPending: true };
      return insert(columns, column, payload.before);
    }
    case "RenameColumn":
      return change(columns, payload.column, () => ({ title: payload.title }));
    case "MoveColumn": {
      const column = columns.find(({ id }) => id === payload.column);
      if (!column || payload.before === payload.column) return columns;
      const others = columns.filter(({ id }) => id !== payload.column);
      return insert(others, { ...column, isPending: true }, payload.before);
    }
    // Whether one is empty when the server removes it isn't known here.
    default:
      return columns;
  }
}

/**
 * @param {string} me
 * @returns {(messages: Message[], action: Action, stamp: Stamp) => Message[]}
 */
export function chatReducer(me) {
  return (messages, { type, payload }, { id }) => {
    if (type !== "Say") return messages;
    const { text } = payload;
    return [...messages, { id, author: me, text, time: Date.now() / 1000, isPending: true }];
  };
}
