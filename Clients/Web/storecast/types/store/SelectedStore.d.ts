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
export class SelectedStore<State> {
    /**
     * @param {Parent} parent
     * @param {(state: any) => State} selector
     * @param {(one: State, other: State) => boolean} isEqual
     */
    constructor(parent: Parent, selector: (state: any) => State, isEqual: (one: State, other: State) => boolean);
    /** What is selected now; undefined as long as the store has no state. */
    getState: () => State | undefined;
    /**
     * Calls `listener` when what is selected has changed.
     *
     * @param {() => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: () => void) => () => void;
    /**
     * What is read of what is selected, as it changes.
     *
     * @template Selected
     * @param {() => Selected | undefined} read
     * @returns {AsyncIterableIterator<Selected>}
     */
    states<Selected>(read: () => Selected | undefined): AsyncIterableIterator<Selected>;
    /**
     * A part of this part.
     *
     * @template Selected
     * @param {(state: State) => Selected} selector
     * @param {(one: Selected, other: Selected) => boolean} [isEqual]
     * @returns {SelectedStore<Selected>}
     */
    select<Selected_1>(selector: (state: State) => Selected_1, isEqual?: ((one: Selected_1, other: Selected_1) => boolean) | undefined): SelectedStore<Selected_1>;
    /**
     * The rows of a state that is a table of ids and rows.
     *
     * @param {(one: string, other: string) => number} [compare]  the order of the ids; that of a
     *     server's strings if left out. For integers: `(one, other) => Number(one) - Number(other)`
     * @returns {Rows<RowOf<State>, IdOf<State>>}
     */
    rows(compare?: ((one: string, other: string) => number) | undefined): Rows<RowOf<State>, IdOf<State>>;
    /**
     * The rows of a state that is an ordered table: ids, and rows with their ranks.
     *
     * @returns {Rows<OrderedRowOf<State>, IdOf<State>>}
     */
    orderedRows(): Rows<OrderedRowOf<State>, IdOf<State>>;
    /**
     * What is selected, as it changes; see a store's.
     *
     * @returns {AsyncIterableIterator<State>}
     */
    [Symbol.asyncIterator](): AsyncIterableIterator<State>;
    #private;
}
export type RowOf<State> = import("./TableForm.js").RowOf<State>;
export type OrderedRowOf<State> = import("./TableForm.js").OrderedRowOf<State>;
export type IdOf<State> = import("./TableForm.js").IdOf<State>;
/**
 * What every store has: what React's `useSyncExternalStore` takes, and Redux's stores have.
 */
export type Readable<State> = {
    /**
     * the same (`===`) until it changes; may be passed on unbound
     */
    getState: () => State;
    /**
     * calls `listener` after changes, and
     * returns what ends that; may be passed on unbound
     */
    subscribe: (listener: () => void) => () => void;
};
export type Parent = Readable<any> & {
    states: (read: () => any) => AsyncIterableIterator<any>;
};
import { Rows } from "./Rows.js";
