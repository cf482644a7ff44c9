/**
 * The class of WebSockets that lead to a room, as long as there is a line.
 *
 * @param {AnyTestRoom} room
 * @param {Identity} identity
 * @param {Set<{ cut: () => void }>} sockets  those that are open
 * @param {() => boolean} isOnline
 */
export function socketClass(room: AnyTestRoom, identity: Identity, sockets: Set<{
    cut: () => void;
}>, isOnline: () => boolean): {
    new (): {
        protocol: string;
        /** @type {((event: any) => void) | null} */
        onopen: ((event: any) => void) | null;
        /** @type {((event: any) => void) | null} */
        onmessage: ((event: any) => void) | null;
        /** @type {((event: any) => void) | null} */
        onclose: ((event: any) => void) | null;
        /** @type {((event: any) => void) | null} */
        onerror: ((event: any) => void) | null;
        isOpen: boolean;
        peer: RoomPeer;
        /** @param {string} text */
        send(text: string): void;
        close(): void;
        /** The line is cut. */
        cut(): void;
        /** @param {object} frame */
        "__#33@#deliver"(frame: object): void;
    };
};
/** @typedef {import("./TestRoom.js").TestRoom<any, any>} AnyTestRoom */
/** @typedef {import("../wire/ServerFrame.js").Identity} Identity */
/** @typedef {{ seq: number, code: string, title: string, detail: string | undefined }} Rejected */
/**
 * What a room remembers of a client, across its connections.
 *
 * @typedef {{ lastSeq: number, rejected: Rejected[] }} Account
 */
/**
 * @typedef {object} Subscription
 * @property {number} ref
 * @property {string} select
 * @property {unknown} params
 * @property {unknown} value  what the client has; undefined before it has anything
 * @property {number} v  as of where
 */
export const epoch: "00000000000000000000000000000001";
/**
 * The room's end of one connection, which keeps to Docs/Protocol.md as a server does.
 */
export class RoomPeer {
    /**
     * @param {AnyTestRoom} room
     * @param {Identity} identity
     * @param {(frame: object) => void} say
     */
    constructor(room: AnyTestRoom, identity: Identity, say: (frame: object) => void);
    /** @param {any} frame */
    take(frame: any): void;
    /** Tells what has changed since, all at once. */
    tell(): void;
    #private;
}
export type AnyTestRoom = import("./TestRoom.js").TestRoom<any, any>;
export type Identity = import("../wire/ServerFrame.js").Identity;
export type Rejected = {
    seq: number;
    code: string;
    title: string;
    detail: string | undefined;
};
/**
 * What a room remembers of a client, across its connections.
 */
export type Account = {
    lastSeq: number;
    rejected: Rejected[];
};
export type Subscription = {
    ref: number;
    select: string;
    params: unknown;
    /**
     * what the client has; undefined before it has anything
     */
    value: unknown;
    /**
     * as of where
     */
    v: number;
};
