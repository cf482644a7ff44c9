/** @typedef {import("../session/Action.js").Action} Action */
/** @typedef {import("../session/Position.js").Position} Position */
/** @typedef {import("./Status.js").Status} Status */
/** @typedef {import("../wire/ServerFrame.js").Identity} Identity */
/** @typedef {import("../store/OptimisticValue.js").Stamp} Stamp */
/** @typedef {import("../tabs/TabFollower.js").TabFollower} TabFollower */
/**
 * What a room has, for editors and type checkers: the values and parameters of its selections by
 * name, and the payloads of its actions by type.
 *
 * @typedef {object} RoomTypes
 * @property {Record<string, { value: unknown, params?: unknown }>} selections
 * @property {Record<string, unknown>} actions
 */
/**
 * A room of which nothing is known.
 *
 * @typedef {object} AnyRoom
 * @property {Record<string, { value: any, params?: any }>} selections
 * @property {Record<string, any>} actions
 */
/**
 * An action's payload, which may be left out if it has no member that has to be there.
 *
 * @template Payload
 * @typedef {undefined extends Payload ? { readonly payload?: Payload }
 *     : {} extends Payload ? { readonly payload?: Payload }
 *     : { readonly payload: Payload }} PayloadOf
 */
/**
 * The actions of a room.
 *
 * @template {RoomTypes} Room
 * @typedef {{ [Type in keyof Room["actions"] & string]:
 *     { readonly type: Type } & PayloadOf<Room["actions"][Type]> }[keyof Room["actions"]
 *     & string]} ActionOf
 */
/**
 * The names of the selections whose values are pages of rows.
 *
 * @template {RoomTypes} Room
 * @typedef {{ [Name in keyof Room["selections"] & string]:
 *     Room["selections"][Name]["value"] extends import("../store/PageStore.js").RowPage<any>
 *     ? Name : never }[keyof Room["selections"] & string]} PagesOf
 */
/**
 * @typedef {object} ConnectionOptions
 * @property {import("./ConnectionCore.js").Token} [token]  proves who this is
 * @property {import("../outbox/OutboxStorage.js").OutboxStorage} [outbox]  where dispatches wait
 *     for their outcome; in memory if left out
 * @property {import("../cache/CacheStorage.js").CacheOptions} [cache]  where the states of stores
 *     are kept for the next time that the program is started; they aren't if left out
 * @property {boolean} [tabs]  shares one connection, and one outbox, among the browser's tabs that
 *     have an outbox of this name; the outbox has to be an `indexedDBOutbox()`. Where tabs can't
 *     tell one another apart (outside of `https:` and `localhost`) each has a connection of its own
 * @property {number} [largestValue]  the largest value of a selection that is taken, in bytes of
 *     its JSON text; 64 MiB if left out. The store of a larger one has the `problem` `too-large`.
 *     With 0 the server is asked to send no value in parts, and any size is taken
 * @property {AbortSignal} [signal]  closes the connection when it is aborted
 * @property {import("./Socket.js").WebSocketClass} [WebSocket]  where there is no global one
 * @property {import("../store/Announcer.js").Notify} [notify]  when listeners hear of what the
 *     server has changed; `"frame"` if left out. What this program dispatches is told at once
 * @property {(rejection: Rejection, action: Action) => void} [onRejected]  called with every
 *     rejection by the server, also of what was dispatched before the page was loaded
 * @property {() => string | undefined} [traceparent]  what the dispatch that is made just now
 *     belongs to, as the field of that name in W3C Trace Context: the server's span of it becomes
 *     that one's child
 * @property {(message: string) => void} [onTrouble]  called with what is worth logging; logs a
 *     warning if left out
 * @property {Partial<import("./Platform.js").Platform>} [platform]  time and chance, for tests
 */
/**
 * A connection to one room of a server, shared by any number of stores.
 *
 * It connects at once, and again whenever the connection is lost, until `close()`: after a delay
 * that doubles with every failure from a quarter of a second to 30 seconds, shortened by chance to
 * as little as half; at once when the browser finds a network or the page is shown again.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 */
export class Connection<Room extends RoomTypes = AnyRoom> {
    /**
     * Starts to connect; `connect()` does that.
     *
     * @param {string} url
     * @param {ConnectionOptions & { WebSocket: import("./Socket.js").WebSocketClass }} options
     */
    constructor(url: string, options: ConnectionOptions & {
        WebSocket: import("./Socket.js").WebSocketClass;
    });
    /**
     * Stands for this client in everyone's sight: in a room's presence, and as the editor of shared
     * texts. The same as long as its outbox is, which is open when stores have their first states.
     * Nothing from which the client's id could be worked out.
     */
    get participant(): string;
    /** How the connection is doing. */
    get status(): import("./Status.js").Status;
    /**
     * Whom the server takes this client for, as of its last welcome; undefined before the first, and
     * if the server is of a version that doesn't say.
     *
     * @returns {Identity | undefined}
     */
    get identity(): import("../wire/ServerFrame.js").Identity | undefined;
    /** How many dispatches have no outcome: what an app shows as "3 changes not saved yet". */
    get pendingCount(): number;
    /**
     * How many of them would be lost with the page: the outbox's storage hasn't got them yet, or the
     * tab that leads. 0 if there is no storage.
     */
    get unstoredCount(): number;
    /**
     * Why dispatches aren't stored; undefined if they are, or needn't be.
     *
     * @returns {Rejection | undefined}
     */
    get outboxProblem(): Rejection | undefined;
    /**
     * Calls `listener` after changes of `status`, `identity`, `pendingCount`, `unstoredCount` or
     * `outboxProblem`.
     *
     * @param {() => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: () => void) => () => void;
    /**
     * Calls `listener` with everything of a kind that happens, one by one: `"status"`, `"rejected"`
     * or `"lapsed"`.
     *
     * @template {keyof import("./Events.js").ConnectionEvents<ActionOf<Room>>} Name
     * @param {Name} name
     * @param {import("./Events.js").ConnectionEvents<ActionOf<Room>>[Name]} listener
     * @param {{ signal?: AbortSignal }} [options]  a signal that ends that, too
     * @returns {() => void} ends that
     * @throws {TypeError} if there is no such event
     */
    on<Name extends keyof import("./Events.js").ConnectionEvents<ActionOf<Room>>>(name: Name, listener: import("./Events.js").ConnectionEvents<ActionOf<Room>>[Name], options?: {
        signal?: AbortSignal;
    } | undefined): () => void;
    /**
     * A live mirror of one selection of the room. Who selects the same gets the same store, as long
     * as the selection is followed.
     *
     * @template {keyof Room["selections"] & string} Name
     * @param {Name} name
     * @param {Room["selections"][Name]["params"]} [params]  left out if the selection has none
     * @param {object} [options]
     * @param {(state: Room["selections"][Name]["value"], action: ActionOf<Room>, stamp: Stamp) =>
     *     Room["selections"][Name]["value"]} [options.optimistic]  what an action makes of the state,
     *     as a new value: shows what is dispatched before the server has answered. `stamp.id` is the
     *     id that a Swift server's stamp is going to have; `stamp.sender` is `identity`.
     *     Give the same function every time
     * @param {AbortSignal} [options.signal]  when it is aborted, the store is released: followed no
     *     more if it has no listeners, five seconds later
     * @returns {RemoteStore<Room["selections"][Name]["value"], ActionOf<Room>>}
     * @throws {TypeError} if the parameters can't be written as JSON; the signal's reason, if it is
     *     aborted
     */
    select<Name_1 extends keyof Room["selections"] & string>(name: Name_1, params?: Room["selections"][Name_1]["params"] | undefined, options?: {
        optimistic?: ((state: Room["selections"][Name_1]["value"], action: ActionOf<Room>, stamp: Stamp) => Room["selections"][Name_1]["value"]) | undefined;
        signal?: AbortSignal | undefined;
    } | undefined): RemoteStore<Room["selections"][Name_1]["value"], ActionOf<Room>>;
    /**
     * The state of a selection, read once: from the server, or from a live store of this connection.
     * To see your own dispatches in it, await their outcomes first.
     *
     * @template {keyof Room["selections"] & string} Name
     * @param {Name} name
     * @param {Room["selections"][Name]["params"]} [params]  left out if the selection has none
     * @param {{ signal?: AbortSignal }} [options]  a signal that ends the wait, which has no other
     *     end while there is no connection: `AbortSignal.timeout(5000)`
     * @returns {Promise<Room["selections"][Name]["value"]>} rejects with a `Rejection` if there is no
     *     such selection, the viewer may not have it, or the connection is refused or closed; with
     *     the signal's reason; with a `TypeError` if the parameters can't be written as JSON
     */
    once<Name_2 extends keyof Room["selections"] & string>(name: Name_2, params?: Room["selections"][Name_2]["params"] | undefined, options?: {
        signal?: AbortSignal;
    } | undefined): Promise<Room["selections"][Name_2]["value"]>;
    /**
     * The pages of a selection of rows, the first of which is shown.
     *
     * @template {PagesOf<Room>} Name
     * @param {Name} name
     * @param {(place: import("../store/PageStore.js").PagePlace) =>
     *     Room["selections"][Name]["params"]} params  of the page at a place: `(place) =>
     *     ({ limit: 50, ...place })` if the server's parameters are called `after` and `before`
     * @param {object} [options]
     * @param {(state: Room["selections"][Name]["value"], action: ActionOf<Room>, stamp: Stamp) =>
     *     Room["selections"][Name]["value"]} [options.optimistic]  what an action makes of a page
     * @returns {PageStore<Room["selections"][Name]["value"], ActionOf<Room>>}
     */
    pages<Name_3 extends PagesOf<Room>>(name: Name_3, params: (place: import("../store/PageStore.js").PagePlace) => Room["selections"][Name_3]["params"], options?: {
        optimistic?: ((state: Room["selections"][Name_3]["value"], action: ActionOf<Room>, stamp: Stamp) => Room["selections"][Name_3]["value"]) | undefined;
    } | undefined): PageStore<Room["selections"][Name_3]["value"], ActionOf<Room>>;
    /**
     * Sends an action to the room, in the order of the calls, and once however often the connection
     * breaks. Optimistic stores show it when this returns.
     *
     * @param {ActionOf<Room>} action
     * @param {{ signal?: AbortSignal }} [options]  a signal that ends the wait for the outcome, not
     *     the action; nothing is dispatched if it is aborted already
     * @returns {Promise<Position>} the position at which it was reduced; every store shows it by
     *     then. Rejects with a `Rejection`, or the signal's reason. May be ignored: that is no
     *     unhandled rejection
     */
    dispatch: (action: ActionOf<Room>, options?: {
        signal?: AbortSignal;
    } | undefined) => Promise<Position>;
    /**
     * Shows the server a newer token of the same identity, on the connection that there is.
     *
     * @param {string} token
     */
    authenticate(token: string): void;
    /**
     * Writes what has changed to the cache now, as happens when the page is hidden.
     *
     * @returns {Promise<void>} fulfilled when that is done, or can't be
     */
    saveCache(): Promise<void>;
    /**
     * Takes the cache away, and keeps nothing from now on, in tabs that share the connection neither:
     * for when somebody logs out. Works on a closed connection too. Stores go on showing what they
     * show.
     *
     * @returns {Promise<void>} rejects if the storage can't
     */
    wipeCache(): Promise<void>;
    /** Connects at once if it waits to try again, or was refused. */
    reconnect(): void;
    /**
     * Ends the connection for good. Dispatches without an outcome end with `closed`, which doesn't
     * say what became of them; those that are stored go on with whoever opens the outbox next.
     */
    close(): void;
    /** Tells the listeners. */
    announce(): void;
    #private;
}
export type Action = import("../session/Action.js").Action;
export type Position = import("../session/Position.js").Position;
export type Status = import("./Status.js").Status;
export type Identity = import("../wire/ServerFrame.js").Identity;
export type Stamp = import("../store/OptimisticValue.js").Stamp;
export type TabFollower = import("../tabs/TabFollower.js").TabFollower;
/**
 * What a room has, for editors and type checkers: the values and parameters of its selections by
 * name, and the payloads of its actions by type.
 */
export type RoomTypes = {
    selections: Record<string, {
        value: unknown;
        params?: unknown;
    }>;
    actions: Record<string, unknown>;
};
/**
 * A room of which nothing is known.
 */
export type AnyRoom = {
    selections: Record<string, {
        value: any;
        params?: any;
    }>;
    actions: Record<string, any>;
};
/**
 * An action's payload, which may be left out if it has no member that has to be there.
 */
export type PayloadOf<Payload> = undefined extends Payload ? {
    readonly payload?: Payload;
} : {} extends Payload ? {
    readonly payload?: Payload;
} : {
    readonly payload: Payload;
};
/**
 * The actions of a room.
 */
export type ActionOf<Room extends RoomTypes> = { [Type in keyof Room["actions"] & string]: {
    readonly type: Type;
} & PayloadOf<Room["actions"][Type]>; }[keyof Room["actions"] & string];
/**
 * The names of the selections whose values are pages of rows.
 */
export type PagesOf<Room extends RoomTypes> = { [Name in keyof Room["selections"] & string]: Room["selections"][Name]["value"] extends import("../store/PageStore.js").RowPage<any> ? Name : never; }[keyof Room["selections"] & string];
export type ConnectionOptions = {
    /**
     * proves who this is
     */
    token?: import("./ConnectionCore.js").Token;
    /**
     * where dispatches wait
     * for their outcome; in memory if left out
     */
    outbox?: import("../outbox/OutboxStorage.js").OutboxStorage | undefined;
    /**
     * where the states of stores
     * are kept for the next time that the program is started; they aren't if left out
     */
    cache?: import("../cache/CacheStorage.js").CacheOptions | undefined;
    /**
     * shares one connection, and one outbox, among the browser's tabs that
     * have an outbox of this name; the outbox has to be an `indexedDBOutbox()`. Where tabs can't
     * tell one another apart (outside of `https:` and `localhost`) each has a connection of its own
     */
    tabs?: boolean | undefined;
    /**
     * the largest value of a selection that is taken, in bytes of
     * its JSON text; 64 MiB if left out. The store of a larger one has the `problem` `too-large`.
     * With 0 the server is asked to send no value in parts, and any size is taken
     */
    largestValue?: number | undefined;
    /**
     * closes the connection when it is aborted
     */
    signal?: AbortSignal | undefined;
    /**
     * where there is no global one
     */
    WebSocket?: import("./Socket.js").WebSocketClass | undefined;
    /**
     * when listeners hear of what the
     * server has changed; `"frame"` if left out. What this program dispatches is told at once
     */
    notify?: import("../store/Announcer.js").Notify | undefined;
    /**
     * called with every
     * rejection by the server, also of what was dispatched before the page was loaded
     */
    onRejected?: ((rejection: Rejection, action: Action) => void) | undefined;
    /**
     * what the dispatch that is made just now
     * belongs to, as the field of that name in W3C Trace Context: the server's span of it becomes
     * that one's child
     */
    traceparent?: (() => string | undefined) | undefined;
    /**
     * called with what is worth logging; logs a
     * warning if left out
     */
    onTrouble?: ((message: string) => void) | undefined;
    /**
     * time and chance, for tests
     */
    platform?: Partial<import("./Platform.js").Platform> | undefined;
};
import { Rejection } from "../wire/Rejection.js";
import { RemoteStore } from "../store/RemoteStore.js";
import { PageStore } from "../store/PageStore.js";
