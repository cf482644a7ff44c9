import { isSame, Listeners } from "./Listeners.js";
import { OptimisticValue } from "./OptimisticValue.js";
import { Rows } from "./Rows.js";
import { SelectedStore } from "./SelectedStore.js";
import { States } from "./States.js";
import { compareTexts, orderedForm, tableForm } from "./TableForm.js";

/** @typedef {import("../session/Mirror.js").Mirror} Mirror */
/** @typedef {import("../session/Action.js").Action} AnyAction */
/** @typedef {import("../session/Position.js").Position} Position */

/**
 * What a store needs of its connection.
 *
 * @typedef {object} StoreOwner
 * @property {import("../session/ClientSession.js").ClientSession} session
 * @property {import("../session/Outbox.js").Outbox} outbox
 * @property {(mirror: Mirror, store: RemoteStore<any, any>) => Mirror} follow
 * @property {(mirror: Mirror, store: RemoteStore<any, any>) => void} leave
 * @property {(store: RemoteStore<any, any>) => void} changed
 * @property {(action: any, options?: { signal?: AbortSignal }) => Promise<Position>} dispatch
 * @property {(message: string) => void} trouble
 * @property {import("../connection/Platform.js").Platform} platform
 */

/**
 * @template State, Action
 * @typedef {(state: State, action: Action, stamp: import("./OptimisticValue.js").Stamp) =>
 *     State} Reduce
 */

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

/** How long a selection is followed after its last listener has left, in milliseconds. */
const linger = 5000;

/**
 * A live mirror of one selection of a room, in the shape of a Redux store.
 *
 * All stores of a connection move together: whenever one is looked at, all are as of the same
 * version. States are plain data, and must not be changed: parts that are equal stay identical
 * (`===`) from one state to the next.
 *
 * @template State
 * @template {AnyAction} [Action=AnyAction]
 */
export class RemoteStore {
  #listeners = new Listeners();
  #closing = new Listeners();
  /** @type {unknown[]} */
  #told = [];
  #isFollowing = false;
  /** @type {unknown} */
  #lingering;
  /** @type {OptimisticValue | undefined} */
  #optimistic;
  #mirror;
  #owner;

  /**
   * @param {StoreOwner} owner
   * @param {Mirror} mirror
   * @param {Reduce<State, Action> | undefined} reduce
   */
  constructor(owner, mirror, reduce) {
    this.#owner = owner;
    this.#mirror = mirror;
    this.reduce = reduce;
    this.key = mirror.key;
    if (reduce) this.#optimistic = new OptimisticValue(reduce, owner);
    this.#follow();
  }

  /**
   * The state now; undefined until the first has come.
   *
   * @returns {State | undefined}
   */
  getState = () => {
    const { value, included } = this.#mirror;
    const state = this.#optimistic ? this.#optimistic.on(value, included) : value;
    return /** @type {State | undefined} */ (state);
  };

  /**
   * Calls `listener`, without arguments, after changes of the state, of `problem` or of `isLive`.
   *
   * A selection is followed from the beginning on, and until five seconds after its last listener
   * has left; then again when there is another one.
   *
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => {
    this.#owner.platform.clearTimeout(this.#lingering);
    this.#follow();
    if (this.#listeners.count === 0) this.#told = this.#now;
    const remove = this.#listeners.add(listener);
    return () => {
      remove();
      this.release();
    };
  };

  /**
   * The states as they change, from the one that there is on:
   * `for await (const state of store)`. Whoever is slow misses those in between. It ends when the
   * store or the connection is closed, and throws another `problem`.
   *
   * @returns {AsyncIterableIterator<State>}
   */
  [Symbol.asyncIterator]() {
    return this.states(this.getState);
  }

  /**
   * What is read of the states as they change.
   *
   * @template Selected
   * @param {() => Selected | undefined} read
   * @returns {AsyncIterableIterator<Selected>}
   */
  states(read) {
    return new States(this, read);
  }

  /**
   * A part of the state, or something worked out from it: a store whose listeners are called when
   * what is selected has changed.
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

  /**
   * Sends an action to the room; see the connection's.
   *
   * @param {Action} action
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Position>}
   */
  dispatch = (action, options) => this.#owner.dispatch(action, options);

  /**
   * Why the server sends nothing: the selection is unknown, forbidden, or the connection closed.
   *
   * @returns {import("../wire/Rejection.js").Rejection | undefined}
   */
  get problem() {
    return this.#mirror.failure;
  }

  /** The newest position of which the state, without pending actions, is known to be true. */
  get position() {
    return this.#mirror.value === undefined ? undefined : this.#mirror.position;
  }

  /**
   * Whether the server keeps the store up to date now: false for a state from a cache that the
   * server hasn't confirmed, while there is no connection, and if there is a `problem`.
   */
  get isLive() {
    return this.#mirror.isLive;
  }

  /**
   * Without listeners, the selection is followed for five seconds more, as if the last of them had
   * left; with some, until they leave.
   */
  release() {
    if (this.#listeners.count > 0 || !this.#isFollowing) return;
    const { platform } = this.#owner;
    platform.clearTimeout(this.#lingering);
    // Of a closed connection nothing more comes.
    if (this.problem?.code === "closed") return this.close();
    this.#lingering = platform.setTimeout(() => this.close(), linger);
  }

  /** Follows the selection no longer, until there is another listener. */
  close() {
    if (!this.#isFollowing) return;
    this.#isFollowing = false;
    this.#owner.platform.clearTimeout(this.#lingering);
    this.#mirror.observers.delete(this.#observer);
    this.#owner.leave(this.#mirror, this);
    this.#closing.call();
  }

  /**
   * Calls `closed` when the store is closed, however that comes.
   *
   * @param {() => void} closed
   * @returns {() => void} ends that
   */
  onClose(closed) {
    return this.#closing.add(closed);
  }

  /** Tells the listeners, if there is something that they don't know. */
  announce() {
    const now = this.#now;
    if (isSame(now, this.#told)) return;
    this.#told = now;
    this.#listeners.call();
  }

  get #now() {
    return [this.getState(), this.problem, this.isLive];
  }

  #observer = () => this.#owner.changed(this);

  #follow() {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#mirror = this.#owner.follow(this.#mirror, this);
    this.#mirror.observers.add(this.#observer);
  }
}
