/** Connects, reconnects, and moves messages between a client session and its socket. */
export class ConnectionCore {
    /**
     * @param {object} parts
     * @param {string} parts.url
     * @param {Token} parts.token
     * @param {import("./Socket.js").WebSocketClass} parts.WebSocket
     * @param {import("./Platform.js").Platform} parts.platform
     * @param {ClientSession} parts.session
     * @param {() => void} parts.beforeSending  stores what is to be sent
     * @param {() => void} parts.statusChanged
     */
    constructor(parts: {
        url: string;
        token: Token;
        WebSocket: import("./Socket.js").WebSocketClass;
        platform: import("./Platform.js").Platform;
        session: ClientSession;
        beforeSending: () => void;
        statusChanged: () => void;
    });
    /** @type {Status} */
    status: Status;
    connect(): Promise<void>;
    /** Connects at once if it waits or was refused, and counts failures from the beginning. */
    reconnect(): void;
    /**
     * There is no use in trying again, until somebody says so.
     *
     * @param {Rejection} rejection
     */
    refuse(rejection: Rejection): void;
    /** Ends everything. */
    close(): void;
    /** The machine may have got another network, or was woken up. */
    networkChanged(): void;
    /** Sends what there is behind all that is being asked for now, in as few messages as can be. */
    scheduleFlush(): void;
    welcomed(): void;
    /** @param {number} seconds */
    held(seconds: number): void;
    /**
     * Shows the server a newer token, on a connection that is live.
     *
     * @param {string} token
     */
    authenticate(token: string): void;
    /**
     * The server asks for a newer token.
     *
     * @param {number} seconds  until the last one expires
     */
    renew(seconds: number): void;
    /** @param {Bye} bye */
    bye(bye: Bye): void;
    #private;
}
export type ClientSession = import("../session/ClientSession.js").ClientSession;
export type Bye = import("../wire/ServerFrame.js").Bye;
export type Status = import("./Status.js").Status;
/**
 * A token, or what gets one for every connection, where what it throws counts as a failed try, and
 * whenever the server asks for a newer one because the last one expires.
 */
export type Token = string | undefined | (() => string | undefined | Promise<string | undefined>);
import { Rejection } from "../wire/Rejection.js";
