/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./store/RemoteStore.js").RemoteStore<any, any>} AnyStore */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */
/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */
/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {Room["selections"][Name]["value"]} ValueOf
 */
/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {Room["selections"][Name]["params"]} ParamsOf
 */
/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @template Part
 * @typedef {object} SelectionOptions
 * @property {(state: ValueOf<Room, Name>) => Part} [select]  what of the state is shown: the
 *     component is rendered when that changes
 * @property {(one: Part, other: Part) => boolean} [isEqual]  what is no change; `Object.is`
 * @property {(state: ValueOf<Room, Name>,
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => ValueOf<Room, Name>} [optimistic]  what
 *     an action makes of the state before the server has answered: the same function every time
 * @property {boolean} [suspense]  suspends the component until there is a state; a selection that
 *     the server doesn't give is thrown, for an error boundary
 */
/**
 * The hooks of one room's connection.
 *
 * @template {RoomTypes} Room
 * @typedef {object} Hooks
 * @property {(props: { connection: Connection<Room>, children?: any }) => any} Provider  lets the
 *     hooks of what is in it use a connection
 * @property {() => Connection<Room>} useConnection
 * @property {{
 *     <Name extends keyof Room["selections"] & string, Part = ValueOf<Room, Name>>(name: Name,
 *         params: ParamsOf<Room, Name> | undefined,
 *         options: SelectionOptions<Room, Name, Part> & { suspense: true }): Part;
 *     <Name extends keyof Room["selections"] & string, Part = ValueOf<Room, Name>>(name: Name,
 *         params?: ParamsOf<Room, Name>,
 *         options?: SelectionOptions<Room, Name, Part>): Part | undefined;
 * }} useSelection  a selection's state, as it changes; undefined until the first has come
 * @property {<Name extends keyof Room["selections"] & string>(name: Name,
 *     params?: ParamsOf<Room, Name>) => Rejection | undefined} useProblem  why the server doesn't
 *     give a selection
 * @property {() => Status} useStatus  how the connection is doing
 * @property {() => number} usePending  how many dispatches have no outcome
 */
/**
 * Hooks for a room of its own types, which have a connection of their own: a page may have several
 * rooms. `createHooks<Room>()` with the types that `storecast types` writes.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @returns {Hooks<Room>}
 */
export function createHooks<Room extends import("./connection/Connection.js").RoomTypes = import("./connection/Connection.js").AnyRoom>(): Hooks<Room>;
export function Provider(props: {
    connection: import("./connection/Connection.js").Connection<import("./connection/Connection.js").AnyRoom>;
    children?: any;
}): any;
export function useConnection(): import("./connection/Connection.js").Connection<import("./connection/Connection.js").AnyRoom>;
export function useSelection<Name extends string, Part = any>(name: Name, params: any, options: SelectionOptions<import("./connection/Connection.js").AnyRoom, Name, Part> & {
    suspense: true;
}): Part;
export function useSelection<Name_1 extends string, Part_1 = any>(name: Name_1, params?: any, options?: SelectionOptions<import("./connection/Connection.js").AnyRoom, Name_1, Part_1> | undefined): Part_1 | undefined;
export function useProblem<Name extends string>(name: Name, params?: any): Rejection | undefined;
export function useStatus(): Status;
export function usePending(): number;
export type AnyRoom = import("./connection/Connection.js").AnyRoom;
export type RoomTypes = import("./connection/Connection.js").RoomTypes;
export type Status = import("./connection/Status.js").Status;
export type AnyStore = import("./store/RemoteStore.js").RemoteStore<any, any>;
export type Rejection = import("./wire/Rejection.js").Rejection;
export type Connection<Room extends import("./connection/Connection.js").RoomTypes> = import("./connection/Connection.js").Connection<Room>;
export type ValueOf<Room extends import("./connection/Connection.js").RoomTypes, Name extends keyof Room["selections"] & string> = Room["selections"][Name]["value"];
export type ParamsOf<Room extends import("./connection/Connection.js").RoomTypes, Name extends keyof Room["selections"] & string> = Room["selections"][Name]["params"];
export type SelectionOptions<Room extends import("./connection/Connection.js").RoomTypes, Name extends keyof Room["selections"] & string, Part> = {
    /**
     * what of the state is shown: the
     * component is rendered when that changes
     */
    select?: ((state: ValueOf<Room, Name>) => Part) | undefined;
    /**
     * what is no change; `Object.is`
     */
    isEqual?: ((one: Part, other: Part) => boolean) | undefined;
    /**
     * what
     * an action makes of the state before the server has answered: the same function every time
     */
    optimistic?: ((state: ValueOf<Room, Name>, action: import("./connection/Connection.js").ActionOf<Room>, stamp: import("./store/OptimisticValue.js").Stamp) => ValueOf<Room, Name>) | undefined;
    /**
     * suspends the component until there is a state; a selection that
     * the server doesn't give is thrown, for an error boundary
     */
    suspense?: boolean | undefined;
};
/**
 * The hooks of one room's connection.
 */
export type Hooks<Room extends import("./connection/Connection.js").RoomTypes> = {
    /**
     * lets the
     * hooks of what is in it use a connection
     */
    Provider: (props: {
        connection: Connection<Room>;
        children?: any;
    }) => any;
    useConnection: () => Connection<Room>;
    /**
     * a selection's state, as it changes; undefined until the first has come
     */
    useSelection: {
        <Name extends keyof Room["selections"] & string, Part = ValueOf<Room, Name>>(name: Name, params: ParamsOf<Room, Name> | undefined, options: SelectionOptions<Room, Name, Part> & {
            suspense: true;
        }): Part;
        <Name_1 extends keyof Room["selections"] & string, Part_1 = ValueOf<Room, Name_1>>(name: Name_1, params?: ParamsOf<Room, Name_1> | undefined, options?: SelectionOptions<Room, Name_1, Part_1> | undefined): Part_1 | undefined;
    };
    /**
     * why the server doesn't
     * give a selection
     */
    useProblem: <Name_2 extends keyof Room["selections"] & string>(name: Name_2, params?: ParamsOf<Room, Name_2> | undefined) => Rejection | undefined;
    /**
     * how the connection is doing
     */
    useStatus: () => Status;
    /**
     * how many dispatches have no outcome
     */
    usePending: () => number;
};
