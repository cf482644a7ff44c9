/**
 * A room in memory, for tests of what uses a connection: several clients, without a server, sockets
 * or waiting. The clients are real: all that is between a test and its room is the same as in an
 * app, and everything happens when `settled()` is awaited.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template [State=any]
 */
export class TestRoom<Room extends import("../connection/Connection.js").RoomTypes = import("../connection/Connection.js").AnyRoom, State = any> {
    /** @param {RoomRules<Room, State>} rules */
    constructor(rules: RoomRules<Room, State>);
    /** How many actions were reduced. */
    version: number;
    /**
     * The state now.
     *
     * @type {State}
     */
    state: State;
    /**
     * A client of the room. Its listeners hear behind each message; `notify` has it otherwise.
     *
     * @param {ConnectionOptions & { identity?: Partial<Identity> }} [options]  as for `connect()`,
     *     and whom the room takes it for
     * @returns {Connection<Room>}
     */
    connect(options?: (import("../connection/Connection.js").ConnectionOptions & {
        identity?: Partial<Identity>;
    }) | undefined): Connection<Room>;
    /**
     * Cuts the lines of connections; of all, if none is named. Until `online()` they find no server.
     *
     * @param {Connection<Room>[]} connections
     */
    offline(...connections: Connection<Room>[]): void;
    /**
     * Gives connections their lines again, on which they come back at once; all, if none is named.
     *
     * @param {Connection<Room>[]} connections
     */
    online(...connections: Connection<Room>[]): void;
    /** What clients send is taken when `resume()` is called: so what is pending can be looked at. */
    pause(): void;
    resume(): void;
    /**
     * The next action that comes is rejected, whatever the reducer would say.
     *
     * @param {string} code
     * @param {string} [title]
     * @param {string} [detail]
     */
    rejectNext(code: string, title?: string | undefined, detail?: string | undefined): void;
    /**
     * Something happens that no client of the test does.
     *
     * @param {ActionOf<Room>} action
     * @param {Partial<RoomStamp>} [stamp]
     * @throws {Rejection} if the reducer rejects it
     */
    dispatch(action: ActionOf<Room>, stamp?: Partial<RoomStamp> | undefined): void;
    /**
     * Fulfilled when every message is delivered and nothing more comes by itself. It takes no time,
     * and no timer: a test's fake ones may be there.
     *
     * @returns {Promise<void>} rejects with what a reducer or selection has thrown that is no
     *     `Rejection`
     */
    settled(): Promise<void>;
    /** Closes every connection of the room. */
    close(): void;
    /**
     * @param {string} client
     * @returns {import("./RoomPeer.js").Account}
     */
    account(client: string): import("./RoomPeer.js").Account;
    /**
     * @param {string} name
     * @param {any} params
     * @param {Identity} viewer
     * @returns {unknown} as a client has it
     */
    value(name: string, params: any, viewer: Identity): unknown;
    /**
     * @param {any} action
     * @param {RoomStamp} stamp
     */
    reduce(action: any, stamp: RoomStamp): void;
    /**
     * What a client is told of something that a rule has thrown. What is no rejection is a mistake,
     * of which `settled()` tells the test.
     *
     * @param {unknown} error
     */
    problem(error: unknown): {
        code: string;
        title: string;
        detail: string | undefined;
    };
    /**
     * A message comes from a client.
     *
     * @param {() => void} take
     */
    receive(take: () => void): void;
    /**
     * Does something soon, for which `settled()` waits.
     *
     * @param {() => unknown} work
     */
    later(work: () => unknown): void;
    #private;
}
export type AnyRoom = import("../connection/Connection.js").AnyRoom;
export type ConnectionOptions = import("../connection/Connection.js").ConnectionOptions;
export type RoomTypes = import("../connection/Connection.js").RoomTypes;
export type Identity = import("../wire/ServerFrame.js").Identity;
export type RoomStamp = {
    id: string;
    sender: Identity;
};
export type Connection<Room extends import("../connection/Connection.js").RoomTypes> = import("../connection/Connection.js").Connection<Room>;
export type ActionOf<Room extends import("../connection/Connection.js").RoomTypes> = import("../connection/Connection.js").ActionOf<Room>;
/**
 * What a room does, as the server does it, in JavaScript.
 */
export type RoomRules<Room extends import("../connection/Connection.js").RoomTypes, State> = {
    /**
     * with which it begins
     */
    state: State;
    /**
     * from a
     * state and an action the next state, as a new value; throws a `Rejection` to reject the action
     */
    reduce: (state: State, action: ActionOf<Room>, stamp: RoomStamp) => State;
    /**
     * what clients see of the state; each may
     * throw a `Rejection`, to clients that may not have it
     */
    selections: Room["selections"] extends infer T ? { [Name in keyof T]: (state: State, params: Room["selections"][Name]["params"], viewer: Identity) => Room["selections"][Name]["value"]; } : never;
};
/**
 * The way from a client to the room.
 */
export type Line = {
    isOnline: boolean;
    sockets: Set<{
        cut: () => void;
        peer: import("./RoomPeer.js").RoomPeer;
    }>;
};
