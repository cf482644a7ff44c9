/**
 * A client's dispatches that have no outcome yet, in their order and without gaps.
 *
 * A dispatch is numbered when it is made, written to a storage if there is one, sent, and settled.
 * Outcomes are told in order too: a rejection waits for the settlement that covers it, so that an
 * action of which somebody was told that it is rejected is never sent again.
 */
export class Outbox {
    /** The client's id, for life; a secret of client and server. */
    client: string;
    /**
     * This program, if it shares the outbox with other tabs.
     *
     * @type {string | undefined}
     */
    tab: string | undefined;
    /** @type {Entry[]} */
    entries: Entry[];
    /** The last number that was given. */
    lastSeq: number;
    /** Counts what went, or got another number. */
    departures: number;
    /**
     * Why nothing is taken any more.
     *
     * @type {Rejection | undefined}
     */
    refusal: Rejection | undefined;
    /** Nothing is to be stored, or what an earlier program left was read. */
    isOpen: boolean;
    /**
     * Called with every rejection that the server settled, also of what an earlier program left.
     *
     * @type {(rejection: Rejection, action: Action) => void}
     */
    onRejected: (rejection: Rejection, action: Action) => void;
    /** @type {Limits} */
    limits: Limits;
    /**
     * The outcomes of all dispatches up to this one are known where somebody waits for them: where
     * tabs share the outbox, that may take a moment longer than they are known here.
     *
     * @type {() => number}
     */
    heard: () => number;
    /** Asks the storage whether another tab has the outbox by now. */
    ask: () => void;
    /** The client knows the outcomes of all dispatches up to this one. */
    get settled(): number;
    /** How much of that all tabs know that wait for it: what server and storage may forget. */
    get forgettable(): number;
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
     * Takes what an earlier program left, or the outbox that tabs share, ahead of what was dispatched
     * in this one and isn't in there.
     *
     * @param {OutboxContents} contents
     * @param {boolean} [isFollowing]  another tab leads
     */
    open({ client, settled, dispatches, opening, wasOpened }: OutboxContents, isFollowing?: boolean | undefined): void;
    /** @param {string} tab  this program, which shares the outbox with other tabs */
    share(tab: string): void;
    /**
     * Shares it no more, and is another client: what the other tabs have is sent by them.
     *
     * @param {string} client
     */
    leave(client: string): void;
    /** What this tab made and the tab that leads has yet to take. */
    get untaken(): import("./Entry.js").Entry[];
    /** All that has an outcome of which somebody hasn't heard, or none: for a tab that joins. */
    get contents(): {
        client: string;
        settled: number;
        dispatches: import("../outbox/OutboxStorage.js").StoredDispatch[];
    };
    /**
     * Those of them whose outcome is a rejection, so that a tab which joins is told.
     *
     * @returns {import("../wire/ServerFrame.js").Rejected[]}
     */
    get rejected(): import("../wire/ServerFrame.js").Rejected[];
    /**
     * The outcomes of all that this tab has made before this one are told.
     *
     * @returns {number}
     */
    get firstWaiting(): number;
    /**
     * As the tab that leads, takes a dispatch of another one.
     *
     * @param {StoredDispatch & { traceparent?: string | undefined }} dispatch
     * @returns {boolean} false if it has another number than the next: the tab will know better soon
     * @throws {Rejection} if it can't be taken
     */
    takeFrom(dispatch: StoredDispatch & {
        traceparent?: string | undefined;
    }): boolean;
    /**
     * The tab that leads has taken a dispatch.
     *
     * @param {StoredDispatch} dispatch
     * @returns {boolean} false if it isn't the next, and something must have been missed
     */
    taken(dispatch: StoredDispatch): boolean;
    /**
     * The tab that leads doesn't take what this one has made, from `n` on.
     *
     * @param {number} n
     * @param {Rejection} rejection
     */
    refused(n: number, rejection: Rejection): void;
    /**
     * Nobody waits any more for what these tabs made: this program is told of rejections.
     *
     * @param {(tab: string) => boolean} isGone
     */
    inherit(isGone: (tab: string) => boolean): void;
    /**
     * The number of a new connection, above all that this program and those that had the outbox open
     * before it gave theirs; undefined if that can't be known.
     */
    nextConnection(): number | undefined;
    /**
     * Whether nobody can say which of the client's connections was made later, this program's or an
     * earlier one's.
     */
    get isUnsure(): boolean;
    /** A connection is greeted: what `hello` says to be settled. */
    greet(): number;
    /**
     * Whether the server may have settled so much for this program. If it never sent that, another
     * tab may have the outbox, who does know of it; the next time the storage has been asked.
     *
     * @param {number} lastSeq
     */
    mayHaveSettled(lastSeq: number): boolean;
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
    /** How many aren't stored, or in the hands of the tab that leads, and have to be. */
    get unstored(): number;
    /** @param {OutboxChange} change  is stored now */
    noteWritten({ dispatches, settled }: OutboxChange): void;
    /**
     * The dispatches behind `seq`.
     *
     * @param {number} seq
     */
    after(seq: number): import("./Entry.js").Entry[];
    #private;
}
export type Action = import("./Action.js").Action;
export type Entry = import("./Entry.js").Entry;
export type Position = import("./Position.js").Position;
export type Limits = import("../wire/ServerFrame.js").Limits;
export type OutboxContents = import("../outbox/OutboxStorage.js").OutboxContents;
export type OutboxChange = import("../outbox/OutboxStorage.js").OutboxChange;
export type StoredDispatch = import("../outbox/OutboxStorage.js").StoredDispatch;
import { Rejection } from "../wire/Rejection.js";
