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
export class RemoteStore<State, Action extends import("../session/Action.js").Action = import("../session/Action.js").Action> {
    /**
     * @param {StoreOwner} owner
     * @param {Mirror} mirror
     * @param {Reduce<State, Action> | undefined} reduce
     */
    constructor(owner: StoreOwner, mirror: Mirror, reduce: Reduce<State, Action> | undefined);
    reduce: Reduce<State, Action> | undefined;
    key: string;
    /**
     * The state now; undefined until the first has come.
     *
     * @returns {State | undefined}
     */
    getState: () => State | undefined;
    /**
     * Calls `listener`, without arguments, after changes of the state, of `problem` or of `isLive`.
     *
     * A selection is followed from the beginning on, and until five seconds after its last listener
     * has left; then again when there is another one.
     *
     * @param {() => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: () => void) => () => void;
    /**
     * What is read of the states as they change.
     *
     * @template Selected
     * @param {() => Selected | undefined} read
     * @returns {AsyncIterableIterator<Selected>}
     */
    states<Selected>(read: () => Selected | undefined): AsyncIterableIterator<Selected>;
    /**
     * A part of the state, or something worked out from it: a store whose listeners are called when
     * what is selected has changed.
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
     * Sends an action to the room; see the connection's.
     *
     * @param {Action} action
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<Position>}
     */
    dispatch: (action: Action, options?: {
        signal?: AbortSignal;
    } | undefined) => Promise<Position>;
    /**
     * Why the server sends nothing: the selection is unknown, forbidden, or the connection closed.
     *
     * @returns {import("../wire/Rejection.js").Rejection | undefined}
     */
    get problem(): import("../wire/Rejection.js").Rejection | undefined;
    /** The newest position of which the state, without pending actions, is known to be true. */
    get position(): import("../session/Position.js").Position | undefined;
    /**
     * Whether the server keeps the store up to date now: false for a state from a cache that the
     * server hasn't confirmed, while there is no connection, and if there is a `problem`.
     */
    get isLive(): boolean;
    /**
     * Without listeners, the selection is followed for five seconds more, as if the last of them had
     * left; with some, until they leave.
     */
    release(): void;
    /** Follows the selection no longer, until there is another listener. */
    close(): void;
    /**
     * Calls `closed` when the store is closed, however that comes.
     *
     * @param {() => void} closed
     * @returns {() => void} ends that
     */
    onClose(closed: () => void): () => void;
    /** Tells the listeners, if there is something that they don't know. */
    announce(): void;
    /**
     * The states as they change, from the one that there is on:
     * `for await (const state of store)`. Whoever is slow misses those in between. It ends when the
     * store or the connection is closed, and throws another `problem`.
     *
     * @returns {AsyncIterableIterator<State>}
     */
    [Symbol.asyncIterator](): AsyncIterableIterator<State>;
    #private;
}
export type Mirror = import("../session/Mirror.js").Mirror;
export type AnyAction = import("../session/Action.js").Action;
export type Position = import("../session/Position.js").Position;
/**
 * What a store needs of its connection.
 */
export type StoreOwner = {
    session: import("../session/ClientSession.js").ClientSession;
    outbox: import("../session/Outbox.js").Outbox;
    follow: (mirror: Mirror, store: RemoteStore<any, any>) => Mirror;
    leave: (mirror: Mirror, store: RemoteStore<any, any>) => void;
    changed: (store: RemoteStore<any, any>) => void;
    dispatch: (action: any, options?: {
        signal?: AbortSignal;
    }) => Promise<Position>;
    trouble: (message: string) => void;
    platform: import("../connection/Platform.js").Platform;
};
export type Reduce<State, Action> = (state: State, action: Action, stamp: import("./OptimisticValue.js").Stamp) => State;
export type RowOf<State> = import("./TableForm.js").RowOf<State>;
export type OrderedRowOf<State> = import("./TableForm.js").OrderedRowOf<State>;
export type IdOf<State> = import("./TableForm.js").IdOf<State>;
import { SelectedStore } from "./SelectedStore.js";
import { Rows } from "./Rows.js";
