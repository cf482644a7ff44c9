import { stampId } from "../session/stampId.js";
import { isSame } from "./Listeners.js";

/** @typedef {import("../session/Action.js").Action} Action */

/**
 * What the server is going to add to an action, as far as it is known.
 *
 * @typedef {object} Stamp
 * @property {string} id
 * @property {import("../wire/ServerFrame.js").Identity | undefined} sender  undefined before the
 *     server has said who this is
 */

/**
 * What an optimistic store shows: the server's value, and the client's pending actions on it.
 *
 * Each action is shown exactly once at every moment: re-run on the server's value as long as that
 * isn't known to hold it, and left to the server from then on. So an acknowledgement that comes
 * before the value does doesn't make the action disappear in between.
 */
export class OptimisticValue {
  /**
   * What the value was made of, beside what was dispatched since.
   *
   * @type {readonly unknown[]}
   */
  #basis = [];
  /** The last dispatch that is in the value. */
  #through = 0;
  /** @type {unknown} */
  #value;
  #reduce;
  #outbox;
  #owner;

  /**
   * @param {(state: any, action: any, stamp: Stamp) => unknown} reduce
   * @param {import("./RemoteStore.js").StoreOwner} owner
   */
  constructor(reduce, owner) {
    this.#reduce = reduce;
    this.#outbox = owner.outbox;
    this.#owner = owner;
  }

  /**
   * The value on top of a mirror's. What is dispatched while nothing else changes is run on what is
   * there; all is run again when the mirror has moved or something has ended.
   *
   * @param {unknown} base  undefined for none
   * @param {number} included  the last dispatch whose effects are in it
   */
  on(base, included) {
    const basis = [base, included, this.#outbox.departures, this.#owner.session.identity];
    if (!isSame(basis, this.#basis)) {
      this.#basis = basis;
      this.#value = base;
      this.#through = included;
    }
    if (base === undefined) return undefined;
    for (const { seq, action } of this.#outbox.after(this.#through)) {
      this.#through = seq;
      this.#run(seq, action);
    }
    return this.#value;
  }

  /**
   * @param {number} seq
   * @param {Action} action
   */
  #run(seq, action) {
    const { session, trouble } = this.#owner;
    const stamp = {
      // Most reducers don't ask, and it takes some microseconds.
      get id() {
        return stampId(session.client, seq);
      },
      sender: session.identity,
    };
    try {
      this.#value = this.#reduce(this.#value, action, stamp);
    } catch (error) {
      trouble(`An optimistic reducer failed at '${action.type}': ${error}`);
    }
  }
}
