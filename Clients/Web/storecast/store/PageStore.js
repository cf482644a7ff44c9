import { Listeners } from "./Listeners.js";
import { SelectedStore } from "./SelectedStore.js";
import { States } from "./States.js";

/** @typedef {import("../session/Action.js").Action} AnyAction */

/**
 * A place between the rows of a query; what is in it is the server's business.
 *
 * @typedef {(null | boolean | number | string)[]} RowCursor
 */

/**
 * A part of the rows of a query, as a server's `RowPage` has them.
 *
 * @template Row
 * @typedef {object} RowPage
 * @property {readonly Row[]} rows
 * @property {number} [count]  how many there are on all pages, if the query counts
 * @property {RowCursor} [start]  the place of the first row; none if there is no row
 * @property {RowCursor} [end]  the place of the last row; none if there is no row
 * @property {boolean} hasBefore  whether there are rows before the first
 * @property {boolean} hasAfter  whether there are rows behind the last
 */

/**
 * Where a page is, as parameters of a selection: behind a place, or before one; else the first.
 *
 * @typedef {{ after?: RowCursor, before?: RowCursor }} PagePlace
 */

/**
 * The pages of a selection of rows, of which one is shown, as a store of that page.
 *
 * To turn is to ask for another page, and to show it when it is there: until then the page shown
 * goes on being live.
 *
 * @template Page  a `RowPage`
 * @template {AnyAction} [Action=AnyAction]
 */
export class PageStore {
  #listeners = new Listeners();
  #closing = new Listeners();
  /** @type {Turn | undefined} */
  #turn;
  /**
   * Where the page is from which the one shown was turned to.
   *
   * @type {PagePlace}
   */
  #from = {};
  /** @type {PagePlace} */
  #place = {};
  /** @type {import("../wire/Rejection.js").Rejection | undefined} */
  #problem;
  /** @type {(() => void) | undefined} */
  #end;
  #shown;
  #storeAt;

  /**
   * `connection.pages()` does that.
   *
   * @param {(place: PagePlace) => import("./RemoteStore.js").RemoteStore<Page, Action>} storeAt
   */
  constructor(storeAt) {
    this.#storeAt = storeAt;
    this.#shown = storeAt({});
    this.#end = this.#listenTo(this.#shown);
  }

  /**
   * The page shown, as it is now; undefined until the first has come.
   *
   * @returns {Page | undefined}
   */
  getState = () => this.#shown.getState();

  /**
   * Calls `listener` after changes of the page, when another is shown, and after changes of
   * `isTurning` or `problem`.
   *
   * As a store's selection, the page is followed until five seconds after the last listener has
   * left.
   *
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => {
    this.#end ??= this.#listenTo(this.#shown);
    const remove = this.#listeners.add(listener);
    return () => {
      remove();
      if (this.#listeners.count === 0) this.#release();
    };
  };

  /**
   * The pages that are shown, as they change; see a store's. A turn that leads nowhere ends
   * nothing.
   *
   * @returns {AsyncIterableIterator<Page>}
   */
  [Symbol.asyncIterator]() {
    return this.states(this.getState);
  }

  /**
   * What is read of the pages, as they change.
   *
   * @template Selected
   * @param {() => Selected | undefined} read
   * @returns {AsyncIterableIterator<Selected>}
   */
  states(read) {
    const { subscribe } = this;
    const shown = () => this.#shown;
    const source = {
      subscribe,
      onClose: (/** @type {() => void} */ closed) => this.#closing.add(closed),
      get problem() {
        return shown().problem;
      },
    };
    return new States(source, read);
  }

  /**
   * A part of the page shown; see a store's.
   *
   * @template Selected
   * @param {(page: Page) => Selected} selector
   * @param {(one: Selected, other: Selected) => boolean} [isEqual]
   * @returns {SelectedStore<Selected>}
   */
  select(selector, isEqual = Object.is) {
    return new SelectedStore(this, selector, isEqual);
  }

  /**
   * Sends an action to the room; see the connection's.
   *
   * @param {Action} action
   * @param {{ signal?: AbortSignal }} [options]
   */
  dispatch = (action, options) => this.#shown.dispatch(action, options);

  /** Whether another page was asked for, and isn't there yet. */
  get isTurning() {
    return this.#turn !== undefined;
  }

  /** Why the server sends nothing, or why the last turn led nowhere. */
  get problem() {
    return this.#problem ?? this.#shown.problem;
  }

  /** Turns to the rows behind those shown, if there are any. */
  next() {
    const page = pageOf(this.#shown);
    if (page?.hasAfter) this.#turnTo(page.end ? { after: page.end } : {});
  }

  /** Turns to the rows before those shown, if there are any. */
  previous() {
    const page = pageOf(this.#shown);
    if (page?.hasBefore) this.#turnTo(page.start ? { before: page.start } : this.#from);
  }

  /** Turns to the first page; also to that of other parameters, where these have changed. */
  first() {
    this.#turnTo({});
  }

  /** Follows nothing any longer, until there is another listener. */
  close() {
    this.#endTurn();
    this.#release();
    this.#closing.call();
  }

  /** @param {PagePlace} place */
  #turnTo(place) {
    this.#endTurn();
    this.#problem = undefined;
    const store = this.#storeAt(place);
    if (store !== this.#shown) this.#turn = { place, store, end: this.#listenTo(store) };
    if (!this.#arrive()) this.#listeners.call();
  }

  /**
   * Shows the page that was asked for if it is there.
   *
   * @returns {boolean} whether listeners were told
   */
  #arrive() {
    if (!this.#turn) return false;
    const { place, store, end } = this.#turn;
    const page = pageOf(store);
    if (!page && !store.problem) return false;
    this.#turn = undefined;
    if (!page || store.problem) {
      this.#problem = store.problem;
      end();
    } else if (place.before && !page.hasBefore) {
      // The first page, if fewer rows are before the place than a page has.
      end();
      this.first();
      return true;
    } else {
      this.#show(store, place, end);
    }
    this.#listeners.call();
    return true;
  }

  /**
   * @param {import("./RemoteStore.js").RemoteStore<Page, Action>} store
   * @param {PagePlace} place
   * @param {() => void} end
   */
  #show(store, place, end) {
    this.#end?.();
    if (this.#end) this.#end = end;
    else end();
    this.#from = this.#place;
    this.#place = place;
    this.#shown = store;
  }

  /** @param {import("./RemoteStore.js").RemoteStore<Page, Action>} store */
  #listenTo(store) {
    return store.subscribe(() => {
      if (store === this.#turn?.store) this.#arrive();
      else this.#listeners.call();
    });
  }

  #endTurn() {
    this.#turn?.end();
    this.#turn = undefined;
  }

  #release() {
    this.#end?.();
    this.#end = undefined;
  }
}

/**
 * @param {import("./RemoteStore.js").RemoteStore<any, any>} store
 * @returns {RowPage<unknown> | undefined}
 */
function pageOf(store) {
  return store.getState();
}

/**
 * A page that was asked for.
 *
 * @typedef {object} Turn
 * @property {PagePlace} place
 * @property {import("./RemoteStore.js").RemoteStore<any, any>} store
 * @property {() => void} end  ends listening to it
 */
