/** @typedef {import("./Action.js").Action} Action */
/** @typedef {import("./Position.js").Position} Position */
/** @typedef {import("../outbox/OutboxStorage.js").StoredDispatch} StoredDispatch */
/** @typedef {import("../wire/Rejection.js").Rejection} Rejection */
/**
 * A dispatch without an outcome.
 *
 * @typedef {object} Entry
 * @property {number} seq
 * @property {number} base
 * @property {string} epoch  that of `base`; empty until one is known
 * @property {string} text  the action, as it is sent
 * @property {Action} action  the action, as the server will read it
 * @property {(position: Position) => void} resolve
 * @property {(rejection: Rejection) => void} reject
 * @property {string} [traceparent]  the span that it belongs to; not stored
 * @property {Rejection} [rejection]  its outcome, when the server settles it
 * @property {string} [tab]  the tab that made it, if tabs share the outbox
 * @property {number} [n]  counts what that tab made
 * @property {boolean} isOurs  this program is the one to be told of a rejection
 */
/**
 * A dispatch as it is kept.
 *
 * @param {Entry} entry
 * @returns {StoredDispatch}
 */
export function stored({ seq, base, epoch, text, tab, n }: Entry): StoredDispatch;
/**
 * A dispatch that was kept, for which nobody here waits.
 *
 * @param {StoredDispatch} stored
 * @returns {Entry}
 */
export function opened({ seq, base, epoch, action: text, tab, n }: StoredDispatch): Entry;
/**
 * What only the program knows that made a dispatch.
 *
 * @param {Entry} entry
 */
export function outcomeOf({ resolve, reject, traceparent, isOurs }: Entry): {
    resolve: (position: Position) => void;
    reject: (rejection: Rejection) => void;
    traceparent: string | undefined;
    isOurs: boolean;
};
/**
 * What a dispatch belongs to, if it is written as the field `traceparent` is.
 *
 * @param {unknown} text
 */
export function spanOf(text: unknown): string | undefined;
/**
 * An action's text that names by new ids what has got them.
 *
 * @param {string} text
 * @param {Map<string, string>} ids
 */
export function renamed(text: string, ids: Map<string, string>): string;
export type Action = import("./Action.js").Action;
export type Position = import("./Position.js").Position;
export type StoredDispatch = import("../outbox/OutboxStorage.js").StoredDispatch;
export type Rejection = import("../wire/Rejection.js").Rejection;
/**
 * A dispatch without an outcome.
 */
export type Entry = {
    seq: number;
    base: number;
    /**
     * that of `base`; empty until one is known
     */
    epoch: string;
    /**
     * the action, as it is sent
     */
    text: string;
    /**
     * the action, as the server will read it
     */
    action: Action;
    resolve: (position: Position) => void;
    reject: (rejection: Rejection) => void;
    /**
     * the span that it belongs to; not stored
     */
    traceparent?: string | undefined;
    /**
     * its outcome, when the server settles it
     */
    rejection?: import("../wire/Rejection.js").Rejection | undefined;
    /**
     * the tab that made it, if tabs share the outbox
     */
    tab?: string | undefined;
    /**
     * counts what that tab made
     */
    n?: number | undefined;
    /**
     * this program is the one to be told of a rejection
     */
    isOurs: boolean;
};
