import { partSize } from "./CardWindow.js";
import { pageReducer } from "./reducers.js";

/** @typedef {import("./CardWindow.js").Store} Store */
/** @typedef {import("./reducers.js").Action} Action */
/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Page} Page */
/** @typedef {import("../storecast/index.js").PagePlace} PagePlace */

/** @type {Page} */
const empty = { rows: [], hasBefore: false, hasAfter: false };

/**
 * The stores of the columns' cards. A card that goes from one column to another, and isn't
 * confirmed yet, is in no store of the column to which it goes: it is looked for in all of them.
 */
export class ColumnStores {
  #connection;
  #me;
  #find;
  #changed;
  /**
   * What the server has sent of the columns that are open, without what is pending.
   *
   * @type {Set<{ getState: () => Page | undefined }>}
   */
  #sent = new Set();
  /** Cards that were looked for in vain. */
  #missed = new Set();

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection
   * @param {string} me
   * @param {(id: string) => Card | undefined} find  a card that no column has
   * @param {() => void} changed  is called when a card has come that was looked for: what has been
   *     made of the columns' stores is out of date
   */
  constructor(connection, me, find, changed) {
    this.#connection = connection;
    this.#me = me;
    this.#find = find;
    this.#changed = changed;
  }

  /**
   * A column's cards can be found from now on. All columns are to be opened before the cards of one
   * are looked at.
   *
   * @param {string} column
   * @param {PagePlace} [place]
   * @returns {() => void} ends that
   */
  open(column, place = {}) {
    const store = this.#connection.select("column", { column, limit: partSize, ...place });
    const sent = { getState: store.getState };
    this.#sent.add(sent);
    const end = store.subscribe(() => this.#look());
    return () => {
      end();
      this.#sent.delete(sent);
    };
  }

  /**
   * What makes the stores of a column, by their places in it.
   *
   * @param {string} column
   * @returns {(place: PagePlace) => Store}
   */
  of(column) {
    const reduce = pageReducer(column, this.#me, this.#found, this.#known);
    const optimistic = adding(column, reduce);
    const added = this.#connection.select("columns", undefined, { optimistic });
    return (place) => {
      const part = { column, limit: partSize, ...place };
      const store = this.#connection.select("column", part, { optimistic: reduce });
      const isFirst = !place.after && !place.before;
      return {
        getState: () => store.getState() ?? (isFirst ? pageOf(added.getState()) : undefined),
        subscribe: (listener) => {
          const ends = [store.subscribe(listener)];
          ends.push(isFirst ? added.subscribe(listener) : this.open(column, place));
          return () => ends.forEach((end) => end());
        },
        get problem() {
          return store.problem;
        },
      };
    };
  }

  /** @param {string} id */
  #known = (id) => {
    for (const { getState } of this.#sent) {
      const card = getState()?.rows.find((row) => row.id === id);
      if (card) return card;
    }
    return undefined;
  };

  /** @param {string} id */
  #found = (id) => {
    const card = this.#find(id);
    if (!card) this.#missed.add(id);
    return card;
  };

  #look() {
    const come = [...this.#missed].filter(this.#known);
    if (come.length === 0) return;
    this.#missed.clear();
    this.#changed();
  }
}

/**
 * Makes a page of what is pending alone, for a column of which the server has sent nothing: a new
 * one that it doesn't have yet, or one that isn't in the cache. It needs a state to be run on,
 * which the list of columns is.
 *
 * @param {string} column
 * @param {(page: Page, action: Action, stamp: { id: string }) => Page} reduce
 * @returns {(state: any, action: Action, stamp: { id: string }) => unknown}
 */
const adding = (column, reduce) => (state, action, stamp) => {
  const { isNew, ...page } = Array.isArray(state) ? { ...empty, isNew: false } : state;
  const isAdded = action.type === "AddColumn" && stamp.id === column;
  return { ...reduce(page, action, stamp), isNew: isNew || isAdded };
};

/**
 * @param {any} state
 * @returns {Page | undefined}
 */
const pageOf = (state) => (state?.isNew || state?.rows?.length > 0 ? state : undefined);
