import { editedText, replacedText } from "./cardText.js";

/**
 * What actions make of what is shown, before the server has answered: the board's own rules, as far
 * as one selection alone allows. Everything that hasn't been confirmed is marked `isPending`.
 *
 * @typedef {{ id: string, column: string, text: string, assignee?: string, voters: string[],
 *     author: string, created: number, isPending?: boolean,
 *     edited?: import("../storecast/index.js").SharedText }} Card
 * @typedef {import("../storecast/index.js").RowPage<Card>} Page
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
 * @param {(id: string) => Card | undefined} find  looks for a card in the other columns
 * @returns {(page: Page, action: Action, stamp: Stamp) => Page}
 */
export function pageReducer(column, me, find) {
  const reduce = cardsReducer(column, me, find);
  return (page, action, stamp) => ({ ...page, rows: reduce(page, action, stamp) });
}

/**
 * @param {string} column
 * @param {string} me
 * @param {(id: string) => Card | undefined} find
 * @returns {(page: Page, action: Action, stamp: Stamp) => readonly Card[]}
 */
function cardsReducer(column, me, find) {
  return (page, { type, payload }, { id }) => {
    const cards = page.rows;
    const without = () => cards.filter(({ id }) => id !== payload.card);
    switch (type) {
      case "AddCard":
        if (payload.column !== column) return cards;
        return place(page, cards, newCard(id, column, payload.text, me), payload.before);
      case "EditCard":
        return change(cards, payload.card, (card) => replacedText(card, payload.text));
      case "EditCardText":
        return change(cards, payload.card, (card) => editedText(card, payload.edit));
      case "AssignCard":
        return change(cards, payload.card, () => ({ assignee: payload.assignee }));
      case "Vote":
        return change(cards, payload.card, ({ voters }) => ({
          voters: voters.includes(me) ? voters : [...voters, me],
        }));
      case "Unvote":
        return change(cards, payload.card, ({ voters }) => ({
          voters: voters.filter((voter) => voter !== me),
        }));
      case "RemoveCard":
        return without();
      case "RestoreCard": {
        const card = find(payload.card);
        if (card?.column !== column || without().length < cards.length) return cards;
        return place(page, cards, { ...card, isPending: true }, payload.before);
      }
      case "MoveCard": {
        if (payload.before === payload.card) return cards;
        if (payload.column !== column) return without();
        const card = cards.find(({ id }) => id === payload.card) ?? find(payload.card);
        if (!card) return cards;
        return place(page, without(), { ...card, column, isPending: true }, payload.before);
      }
      default:
        return cards;
    }
  };
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
 * @param {string} column
 * @param {string} text
 * @param {string} me
 */
const newCard = (id, column, text, me) => ({
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
