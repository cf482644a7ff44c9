/**
 * A client's dispatches that have no outcome yet, in their order and without gaps.
 *
 * A dispatch is numbered when it is made, written to a storage if there is one, sent, and settled.
 * Outcomes are told in order too: a rejection waits for the settlement that covers it, so that an
 * action of which somebody was told that it is rejected is never sent again.
 */
export class Outbox {
    /** @type {Entry[]} */
    entries: Entry[];
    /** The last number that was given. */
    lastSeq: number;
    /** Counts what came. */
    arrivals: number;
    /** Counts what went, or got another number. */
    departures: number;
    /**
     * Why nothing is taken any more.
     *
     * @type {Rejection | undefined}
     */
    refusal: Rejection | undefined;
    /**
     * Called with every rejection that the server settled, also of what an earlier program left.
     *
     * @type {(rejection: Rejection, action: Action) => void}
     */
    onRejected: (rejection: Rejection, action: Action) => void;
    /** @type {Limits} */
    limits: Limits;
    /** The client knows the outcomes of all dispatches up to this one. */
    get settled(): number;
    /**
     * Takes an action and gives it the next number; `resolve` or `reject` is called with its outcome.
     *
     * @param {Action} action
     * @param {Position | undefined} position  the newest that is known of the room
     * @param {Entry["resolve"]} resolve
     * @param {Entry["reject"]} reject
     * @param {string} [traceparent]
     * @throws {Rejection} if it can't be taken
     */
    append(action: Action, position: Position | undefined, resolve: Entry["resolve"], reject: Entry["reject"], traceparent?: string | undefined): void;
    /**
     * Takes what an earlier program left, ahead of what was dispatched in this one.
     *
     * @param {OutboxContents} contents
     */
    open({ settled, dispatches, opening }: OutboxContents): void;
    /**
     * The number of a new connection, above all that this program and those that had the outbox open
     * before it gave theirs; undefined if that can't be known.
     */
    nextConnection(): number | undefined;
    /** Whether nobody can say which of this program's connections was made later. */
    get isUnsure(): boolean;
    /** A connection is greeted: what `hello` says to be settled. */
    greet(): number;
    /**
     * The server is there: everything behind `lastSeq` is sent once more. The rest has its outcome,
     * which `settle` is to tell.
     *
     * @param {import("../wire/ServerFrame.js").Welcome} welcome
     */
    welcomed({ epoch, v, lastSeq, limits, rejected }: import("../wire/ServerFrame.js").Welcome): void;
    /** The frame of the dispatch that may be sent now; undefined if there is none. */
    get next(): string | undefined;
    /** The dispatch that `next` told of is on its way. */
    sent(): void;
    /**
     * Sends everything from `seq` on once more.
     *
     * @param {number} seq
     */
    goBack(seq: number): void;
    /**
     * The server has settled everything up to `acked`: that may run ahead of what was sent again,
     * not of what was ever sent.
     *
     * @param {number} acked
     */
    acknowledge(acked: number): void;
    /**
     * The server has rejected `seq` for good; the outcome is told when it is settled.
     *
     * @param {number} seq
     * @param {Rejection} rejection
     */
    reject(seq: number, rejection: Rejection): void;
    /**
     * Takes out everything up to `acked`; what wasn't rejected was reduced, as of `position`.
     *
     * @param {number} acked
     * @param {Position} position
     * @returns {(() => void)[]} tell the outcomes
     */
    settle(acked: number, position: Position): (() => void)[];
    /**
     * Ends every wait with `rejection`, and refuses what comes later with it.
     *
     * @param {Rejection} rejection
     * @returns {(() => void)[]} tell the outcomes
     */
    abandon(rejection: Rejection): (() => void)[];
    /**
     * What isn't stored yet; undefined if everything is.
     *
     * @returns {OutboxChange | undefined}
     */
    get unwritten(): import("../outbox/OutboxStorage.js").OutboxChange | undefined;
    /** @param {OutboxChange} change  is stored now */
    noteWritten({ dispatches, settled }: OutboxChange): void;
    /**
     * The dispatches behind `seq`.
     *
     * @param {number} seq
     */
    after(seq: number): Entry[];
    #private;
}
export type Action = import("./Action.js").Action;
export type Position = import("./Position.js").Position;
export type Limits = import("../wire/ServerFrame.js").Limits;
export type OutboxContents = import("../outbox/OutboxStorage.js").OutboxContents;
export type OutboxChange = import("../outbox/OutboxStorage.js").OutboxChange;
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
    rejection?: Rejection | undefined;
};
import { Rejection } from "../wire/Rejection.js";
