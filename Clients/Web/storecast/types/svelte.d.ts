/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */
/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */
/**
 * A store as Svelte has them: `$store` in a component, or `fromStore(store)` with runes.
 *
 * @template State
 * @typedef {object} SvelteStore
 * @property {(run: (state: State) => void) => () => void} subscribe  calls `run` at once, and after
 *     changes
 */
/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {object} SelectionOptions
 * @property {(state: Room["selections"][Name]["value"],
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]
 *     } [optimistic]  what an action makes of the state before the server has answered: the same
 *     function every time
 */
/**
 * Any store of a connection, or a part of one, for Svelte.
 *
 * @template State
 * @param {{ getState: () => State, subscribe: (listener: () => void) => () => void }} store
 * @returns {SvelteStore<State>}
 */
export function readable<State>({ getState, subscribe }: {
    getState: () => State;
    subscribe: (listener: () => void) => () => void;
}): SvelteStore<State>;
/**
 * A selection's state, as it changes; undefined until the first has come. It is followed as long as
 * a component shows it, and five seconds longer.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template {keyof Room["selections"] & string} [Name=keyof Room["selections"] & string]
 * @param {Connection<Room>} connection
 * @param {Name} name
 * @param {Room["selections"][Name]["params"]} [params]
 * @param {SelectionOptions<Room, Name>} [options]
 * @returns {SvelteStore<Room["selections"][Name]["value"] | undefined>}
 */
export function selection<Room extends import("./connection/Connection.js").RoomTypes = import("./connection/Connection.js").AnyRoom, Name extends keyof Room["selections"] & string = keyof Room["selections"] & string>(connection: import("./connection/Connection.js").Connection<Room>, name: Name, params?: Room["selections"][Name]["params"] | undefined, options?: SelectionOptions<Room, Name> | undefined): SvelteStore<Room["selections"][Name]["value"] | undefined>;
/**
 * Why the server doesn't give a selection; undefined if it does.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template {keyof Room["selections"] & string} [Name=keyof Room["selections"] & string]
 * @param {Connection<Room>} connection
 * @param {Name} name
 * @param {Room["selections"][Name]["params"]} [params]
 * @returns {SvelteStore<Rejection | undefined>}
 */
export function problem<Room extends import("./connection/Connection.js").RoomTypes = import("./connection/Connection.js").AnyRoom, Name extends keyof Room["selections"] & string = keyof Room["selections"] & string>(connection: import("./connection/Connection.js").Connection<Room>, name: Name, params?: Room["selections"][Name]["params"] | undefined): SvelteStore<Rejection | undefined>;
/**
 * How a connection is doing.
 *
 * @param {Connection<any>} connection
 * @returns {SvelteStore<Status>}
 */
export function status(connection: Connection<any>): SvelteStore<Status>;
/**
 * How many dispatches of a connection have no outcome.
 *
 * @param {Connection<any>} connection
 * @returns {SvelteStore<number>}
 */
export function pending(connection: Connection<any>): SvelteStore<number>;
export type AnyRoom = import("./connection/Connection.js").AnyRoom;
export type RoomTypes = import("./connection/Connection.js").RoomTypes;
export type Status = import("./connection/Status.js").Status;
export type Rejection = import("./wire/Rejection.js").Rejection;
export type Connection<Room extends import("./connection/Connection.js").RoomTypes> = import("./connection/Connection.js").Connection<Room>;
/**
 * A store as Svelte has them: `$store` in a component, or `fromStore(store)` with runes.
 */
export type SvelteStore<State> = {
    /**
     * calls `run` at once, and after
     * changes
     */
    subscribe: (run: (state: State) => void) => () => void;
};
export type SelectionOptions<Room extends import("./connection/Connection.js").RoomTypes, Name extends keyof Room["selections"] & string> = {
    /**
     * what an action makes of the state before the server has answered: the same
     * function every time
     */
    optimistic?: ((state: Room["selections"][Name]["value"], action: import("./connection/Connection.js").ActionOf<Room>, stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]) | undefined;
};
