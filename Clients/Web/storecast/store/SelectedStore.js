import { onChange } from "./Listeners.js";
import { Rows } from "./Rows.js";
import { compareTexts, orderedForm, tableForm } from "./TableForm.js";

/**
 * @template State
 * @typedef {import("./TableForm.js").RowOf<State>} RowOf
 */

/**
 * @template State
 * @typedef {import("./TableForm.js").OrderedRowOf<State>} OrderedRowOf
 */

/**
 * @template State
 * @typedef {import("./TableForm.js").IdOf<State>} IdOf
 */

/**
 * What every store has: what React's `useSyncExternalStore` takes, and Redux's stores have.
 *
 * @template State
 * @typedef {object} Readable
 * @property {() => State} getState  the same (`===`) until it changes; may be passed on unbound
 * @property {(listener: () => void) => () => void} subscribe  calls `listener` after changes, and
 *     returns what ends that; may be passed on unbound
 */

/**
 * @typedef {Readable<any> & { states: (read: () => any) => AsyncIterableIterator<any> }} Parent
 */

/**
 * A part of a store's state, or something worked out from it.
 *
 * @template State
 */
export class SelectedStore {
  /** @type {unknown} */
  #source;
  /** @type {State | undefined} */
  #selected;
  #parent;
  #selector;
  #isEqual;

  /**
   * @param {Parent} parent
   * @param {(state: any) => State} selector
   * @param {(one: State, other: State) => boolean} isEqual
   */
  constructor(parent, selector, isEqual) {
    this.#parent = parent;
    this.#selector = selector;
    this.#isEqual = isEqual;
  }

  /** What is selected now; undefined as long as the store has no state. */
  getState = () => {
    const state = this.#parent.getState();
    if (state === undefined || state === this.#source) return this.#selected;
    const selected = this.#selector(state);
    const isFirst = this.#source === undefined;
    this.#source = state;
    if (isFirst || !this.#isEqual(/** @type {State} */ (this.#selected), selected)) {
      this.#selected = selected;
    }
    return this.#selected;
  };

  /**
   * Calls `listener` when what is selected has changed.
   *
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => this.#parent.subscribe(onChange(this.getState, listener));

  /**
   * What is selected, as it changes; see a store's.
   *
   * @returns {AsyncIterableIterator<State>}
   */
  [Symbol.asyncIterator]() {
    return this.states(this.getState);
  }

  /**
   * What is read of what is selected, as it changes.
   *
   * @template Selected
   * @param {() => Selected | undefined} read
   * @returns {AsyncIterableIterator<Selected>}
   */
  states(read) {
    return this.#parent.states(read);
  }

  /**
   * A part of this part.
   *
   * @template Selected
   * @param {(state: State) => Selected} selector
   * @param {(one: Selected, other: Selected) => boolean} [isEqual]
   * @returns {SelectedStore<Selected>}
   */
  select(selector, isEqual = Object.is) {
    return new SelectedStore(this, selector, isEqual);
  }

  /**
   * The rows of a state that is a table of ids and rows.
   *
   * @param {(one: string, other: string) => number} [compare]  the order of the ids; that of a
   *     server's strings if left out. For integers: `(one, other) => Number(one) - Number(other)`
   * @returns {Rows<RowOf<State>, IdOf<State>>}
   */
  rows(compare = compareTexts) {
    return new Rows(this, tableForm(compare));
  }

  /**
   * The rows of a state that is an ordered table: ids, and rows with their ranks.
   *
   * @returns {Rows<OrderedRowOf<State>, IdOf<State>>}
   */
  orderedRows() {
    return new Rows(this, orderedForm);
  }
}
