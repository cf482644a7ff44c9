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
};
