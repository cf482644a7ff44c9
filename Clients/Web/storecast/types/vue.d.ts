/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */
/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */
/**
 * What may be given as it is, as a ref, or as a function that reads refs.
 *
 * @template Value
 * @typedef {Value | { readonly value: Value } | (() => Value)} Given
 */
/**
 * @template State
 * @typedef {Readonly<import("vue").ShallowRef<State>>} StateRef
 */
/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @template Part
 * @typedef {object} SelectionOptions
 * @property {(state: Room["selections"][Name]["value"]) => Part} [select]  what of the state is
 *     shown
 * @property {(one: Part, other: Part) => boolean} [isEqual]  what is no change; `Object.is`
 * @property {(state: Room["selections"][Name]["value"],
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]
 *     } [optimistic]  what an action makes of the state before the server has answered: the same
 *     function every time
 */
/**
 * The composables of one room's connection.
 *
 * @template {RoomTypes} Room
 * @typedef {object} Composables
 * @property {(app: import("vue").App, connection: Connection<Room>) => void} install  lets an app's
 *     components use a connection: `app.use(composables, connection)`
 * @property {() => Connection<Room>} useConnection
 * @property {<Name extends keyof Room["selections"] & string,
 *     Part = Room["selections"][Name]["value"]>(name: Name,
 *     params?: Given<Room["selections"][Name]["params"]>,
 *     options?: SelectionOptions<Room, Name, Part>) => StateRef<Part | undefined>} useSelection  a
 *     selection's state, as it changes; undefined until the first has come. Where the parameters
 *     are reactive, other ones are another selection
 * @property {<Name extends keyof Room["selections"] & string>(name: Name,
 *     params?: Given<Room["selections"][Name]["params"]>) => StateRef<Rejection | undefined>
 *     } useProblem  why the server doesn't give a selection
 * @property {() => StateRef<Status>} useStatus  how the connection is doing
 * @property {() => StateRef<number>} usePending  how many dispatches have no outcome
 */
/**
 * Composables for a room of its own types, which have a connection of their own: a page may have
 * several rooms. `createComposables<Room>()` with the types that `storecast types` writes.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @returns {Composables<Room>}
 */
export function createComposables<Room extends import("./connection/Connection.js").RoomTypes = import("./connection/Connection.js").AnyRoom>(): Composables<Room>;
export function install(app: import("vue").App, connection: import("./connection/Connection.js").Connection<import("./connection/Connection.js").AnyRoom>): void;
export function useConnection(): import("./connection/Connection.js").Connection<import("./connection/Connection.js").AnyRoom>;
export function useSelection<Name extends string, Part = any>(name: Name, params?: any, options?: SelectionOptions<import("./connection/Connection.js").AnyRoom, Name, Part> | undefined): Readonly<import("vue").ShallowRef<Part | undefined>>;
export function useProblem<Name extends string>(name: Name, params?: any): StateRef<Rejection | undefined>;
export function useStatus(): StateRef<Status>;
export function usePending(): StateRef<number>;
export type AnyRoom = import("./connection/Connection.js").AnyRoom;
export type RoomTypes = import("./connection/Connection.js").RoomTypes;
export type Status = import("./connection/Status.js").Status;
export type Rejection = import("./wire/Rejection.js").Rejection;
export type Connection<Room extends import("./connection/Connection.js").RoomTypes> = import("./connection/Connection.js").Connection<Room>;
/**
 * What may be given as it is, as a ref, or as a function that reads refs.
 */
export type Given<Value> = Value | {
    readonly value: Value;
} | (() => Value);
export type StateRef<State> = Readonly<import("vue").ShallowRef<State>>;
export type SelectionOptions<Room extends import("./connection/Connection.js").RoomTypes, Name extends keyof Room["selections"] & string, Part> = {
    /**
     * what of the state is
     * shown
     */
    select?: ((state: Room["selections"][Name]["value"]) => Part) | undefined;
    /**
     * what is no change; `Object.is`
     */
    isEqual?: ((one: Part, other: Part) => boolean) | undefined;
    /**
     * what an action makes of the state before the server has answered: the same
     * function every time
     */
    optimistic?: ((state: Room["selections"][Name]["value"], action: import("./connection/Connection.js").ActionOf<Room>, stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]) | undefined;
};
/**
 * The composables of one room's connection.
 */
export type Composables<Room extends import("./connection/Connection.js").RoomTypes> = {
    /**
     * lets an app's
     * components use a connection: `app.use(composables, connection)`
     */
    install: (app: import("vue").App, connection: Connection<Room>) => void;
    useConnection: () => Connection<Room>;
    /**
     * a
     * selection's state, as it changes; undefined until the first has come. Where the parameters
     * are reactive, other ones are another selection
     */
    useSelection: <Name extends keyof Room["selections"] & string, Part = Room["selections"][Name]["value"]>(name: Name, params?: Given<Room["selections"][Name]["params"]> | undefined, options?: SelectionOptions<Room, Name, Part> | undefined) => Readonly<import("vue").ShallowRef<Part | undefined>>;
    /**
     * why the server doesn't give a selection
     */
    useProblem: <Name_1 extends keyof Room["selections"] & string>(name: Name_1, params?: Given<Room["selections"][Name_1]["params"]> | undefined) => StateRef<Rejection | undefined>;
    /**
     * how the connection is doing
     */
    useStatus: () => StateRef<Status>;
    /**
     * how many dispatches have no outcome
     */
    usePending: () => StateRef<number>;
};
