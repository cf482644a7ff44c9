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
     * @param {(state: any, action: any, stamp: Stamp) => unknown} reduce
     * @param {import("./RemoteStore.js").StoreOwner} owner
     */
    constructor(reduce: (state: any, action: any, stamp: Stamp) => unknown, owner: import("./RemoteStore.js").StoreOwner);
    /**
     * The value on top of a mirror's. What is dispatched while nothing else changes is run on what is
     * there; all is run again when the mirror has moved or something has ended.
     *
     * @param {unknown} base  undefined for none
     * @param {number} included  the last dispatch whose effects are in it
     */
    on(base: unknown, included: number): unknown;
    #private;
}
export type Action = import("../session/Action.js").Action;
/**
 * What the server is going to add to an action, as far as it is known.
 */
export type Stamp = {
    id: string;
    /**
     * undefined before the
     * server has said who this is
     */
    sender: import("../wire/ServerFrame.js").Identity | undefined;
};
