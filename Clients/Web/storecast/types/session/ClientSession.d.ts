/**
 * A client's half of one connection and all that follow it, without I/O: it is told of connections
 * and messages, and pulled for messages.
 *
 * It keeps the dispatches without an outcome and the mirrors across connections.
 */
export class ClientSession {
    /**
     * @param {import("./Outbox.js").Outbox} outbox
     * @param {SessionDelegate} delegate
     */
    constructor(outbox: import("./Outbox.js").Outbox, delegate: SessionDelegate);
    /** @type {"offline" | "greeting" | "live"} */
    phase: "offline" | "greeting" | "live";
    /**
     * The newest position that was heard of.
     *
     * @type {Position | undefined}
     */
    position: Position | undefined;
    /**
     * Whom the server takes the client for, as of its last welcome.
     *
     * @type {import("../wire/ServerFrame.js").Identity | undefined}
     */
    identity: import("../wire/ServerFrame.js").Identity | undefined;
    /**
     * In which term that is; undefined if the server says none.
     *
     * @type {string | undefined}
     */
    term: string | undefined;
    /** Seconds of silence after which to ping. */
    heartbeat: number;
    /**
     * The largest value that is taken in parts, in bytes of its text; 64 MiB. The server is asked to
     * send whole values only if it is 0.
     */
    largestValue: number;
    /** The client's id, for life; a secret of client and server. */
    get client(): string;
    /** The last dispatch that the server said to be settled. */
    get acknowledged(): number;
    /**
     * A connection is there: queues hello and all subscriptions.
     *
     * @param {string | undefined} token
     */
    connected(token: string | undefined): void;
    /** The connection is gone; everything else stays. */
    disconnected(): void;
    /**
     * Ends it for good: mirrors fail, and every dispatch without an outcome gets `rejection`, which
     * says nothing about what became of it.
     *
     * @param {Rejection} rejection
     */
    close(rejection: Rejection): void;
    /**
     * Follows what `mirror` is to mirror.
     *
     * @param {Mirror} mirror  a new one, or one that was followed before
     * @returns {Mirror} the one that all share who follow this selection with equal parameters
     */
    follow(mirror: Mirror): Mirror;
    /** Those that are followed. */
    get mirrors(): import("./Mirror.js").Mirror[];
    /**
     * Begins with what the last session kept; before there is a connection.
     *
     * @param {import("./KeptMirrors.js").KeptMirrors} kept
     */
    restore(kept: import("./KeptMirrors.js").KeptMirrors): void;
    /**
     * Ends a mirror that nobody observes any more.
     *
     * @param {Mirror} mirror
     */
    release(mirror: Mirror): void;
    /** Asks for a sign of life. */
    ping(): void;
    /**
     * Shows the server a newer token.
     *
     * @param {string} token
     */
    authenticate(token: string): void;
    /** Dispatches may be sent again. */
    endHold(): void;
    /** The next message to send, with as many frames as fit; undefined if there is none. */
    nextMessage(): string;
    /**
     * Takes one message; false if the connection can't go on and should be made anew.
     *
     * @param {string} text
     * @returns {boolean}
     */
    receive(text: string): boolean;
    /**
     * Takes frames that were read already; false as `receive`.
     *
     * @param {ServerFrame[]} frames
     */
    take(frames: ServerFrame[]): boolean;
    #private;
}
export type Mirror = import("./Mirror.js").Mirror;
export type Position = import("./Position.js").Position;
export type Part = import("../wire/ServerFrame.js").Part;
export type ServerFrame = import("../wire/ServerFrame.js").ServerFrame;
/**
 * What a session tells its owner.
 */
export type SessionDelegate = {
    /**
     * the connection is live
     */
    welcomed: () => void;
    /**
     * mirrors have moved; their observers were called
     */
    moved: () => void;
    /**
     * what tabs that share the connection are to
     * take together, before anybody here is told
     */
    relay: (frames: ServerFrame[]) => void;
    /**
     * the viewer may not have a mirror any more
     */
    forbidden: () => void;
    /**
     * the server has ended what they followed
     */
    lapsed: (mirrors: readonly Mirror[]) => void;
    /**
     * dispatches came or went; then outcomes are told
     */
    pendingChanged: () => void;
    /**
     * what has the connection now
     */
    core: () => SessionCore;
    /**
     * the server said something that shouldn't be
     */
    trouble: (message: string) => void;
};
/**
 * What a session tells whoever has the connection.
 */
export type SessionCore = {
    /**
     * dispatches may be sent again when this time is over;
     * call `endHold()` then
     */
    held: (seconds: number) => void;
    /**
     * the server asks for a newer token, within this time
     */
    renew: (seconds: number) => void;
    /**
     * the server is about to close
     */
    bye: (bye: import("../wire/ServerFrame.js").Bye) => void;
    /**
     * the server can't read what this program
     * sends: it is of no use to go on
     */
    refuse: (rejection: Rejection) => void;
};
import { Rejection } from "../wire/Rejection.js";
