/**
 * What a connection takes from its surroundings: time, chance and what the browser knows.
 *
 * @typedef {object} Platform
 * @property {() => number} now  milliseconds that only grow
 * @property {() => number} time  milliseconds since 1970
 * @property {(work: () => void, milliseconds: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random  from 0 up to 1
 * @property {() => string} newClient  a client id: 128 bits that nobody can guess
 * @property {((work: () => void) => void) | undefined} requestFrame  before the page is drawn next
 * @property {(changed: () => void) => () => void} watchNetwork  calls `changed` when the machine
 *     may have got another network, or was woken up; returns what ends that
 * @property {(hidden: () => void) => () => void} watchHiding  calls `hidden` when the page may soon
 *     be frozen or ended; returns what ends that
 * @property {(asleep: () => void, awake: () => void) => () => void} watchSleep  calls `asleep` when
 *     the page is about to be stopped for a while, and `awake` when it goes on; returns what ends
 *     that
 * @property {import("../outbox/Slots.js").Locks | undefined} locks  by which tabs keep one another
 *     out
 * @property {((name: string) => Channel) | undefined} openChannel  by which tabs hear one another
 */
/**
 * As much of a `BroadcastChannel` as is used.
 *
 * @typedef {object} Channel
 * @property {(message: unknown) => void} postMessage
 * @property {((event: MessageEvent) => void) | null} onmessage
 * @property {() => void} close
 */
/**
 * The browser, or node.
 *
 * @type {Platform}
 */
export const platform: Platform;
/**
 * What a connection takes from its surroundings: time, chance and what the browser knows.
 */
export type Platform = {
    /**
     * milliseconds that only grow
     */
    now: () => number;
    /**
     * milliseconds since 1970
     */
    time: () => number;
    setTimeout: (work: () => void, milliseconds: number) => unknown;
    clearTimeout: (timer: any) => void;
    /**
     * from 0 up to 1
     */
    random: () => number;
    /**
     * a client id: 128 bits that nobody can guess
     */
    newClient: () => string;
    /**
     * before the page is drawn next
     */
    requestFrame: ((work: () => void) => void) | undefined;
    /**
     * calls `changed` when the machine
     * may have got another network, or was woken up; returns what ends that
     */
    watchNetwork: (changed: () => void) => () => void;
    /**
     * calls `hidden` when the page may soon
     * be frozen or ended; returns what ends that
     */
    watchHiding: (hidden: () => void) => () => void;
    /**
     * calls `asleep` when
     * the page is about to be stopped for a while, and `awake` when it goes on; returns what ends
     * that
     */
    watchSleep: (asleep: () => void, awake: () => void) => () => void;
    /**
     * by which tabs keep one another
     * out
     */
    locks: import("../outbox/Slots.js").Locks | undefined;
    /**
     * by which tabs hear one another
     */
    openChannel: ((name: string) => Channel) | undefined;
};
/**
 * As much of a `BroadcastChannel` as is used.
 */
export type Channel = {
    postMessage: (message: unknown) => void;
    onmessage: ((event: MessageEvent) => void) | null;
    close: () => void;
};
