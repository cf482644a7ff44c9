/**
 * What becomes of a socket; nothing more after `closed`.
 *
 * @typedef {object} SocketEvents
 * @property {() => void} opened
 * @property {(text: string) => void} received
 * @property {(code: number, reason: string) => void} closed
 */
/**
 * As much of a `WebSocket` as is used.
 *
 * @typedef {object} WebSocketLike
 * @property {string} protocol
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onclose
 * @property {((event: any) => void) | null} onerror
 * @property {(text: string) => void} send
 * @property {(code?: number, reason?: string) => void} close
 */
/** @typedef {new (url: string, protocols: string) => WebSocketLike} WebSocketClass */
/** One WebSocket that speaks the protocol's texts. */
export class Socket {
    /**
     * @param {WebSocketClass} WebSocket
     * @param {string} url
     * @param {SocketEvents} events
     * @throws whatever `WebSocket` throws, of a URL that the page may not use for example
     */
    constructor(WebSocket: WebSocketClass, url: string, events: SocketEvents);
    /** @param {string} text */
    send(text: string): void;
    /** Ends it without a word to its events. */
    close(): void;
    #private;
}
/**
 * What becomes of a socket; nothing more after `closed`.
 */
export type SocketEvents = {
    opened: () => void;
    received: (text: string) => void;
    closed: (code: number, reason: string) => void;
};
/**
 * As much of a `WebSocket` as is used.
 */
export type WebSocketLike = {
    protocol: string;
    onopen: ((event: any) => void) | null;
    onmessage: ((event: any) => void) | null;
    onclose: ((event: any) => void) | null;
    onerror: ((event: any) => void) | null;
    send: (text: string) => void;
    close: (code?: number, reason?: string) => void;
};
export type WebSocketClass = new (url: string, protocols: string) => WebSocketLike;
