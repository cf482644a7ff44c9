/** @typedef {import("../wire/Rejection.js").Rejection} Rejection */
/** @typedef {import("./Position.js").Position} Position */
/**
 * What it takes to go on from a value.
 *
 * @typedef {object} MirrorContent
 * @property {unknown} value
 * @property {Position} position  the newest at which the value is known to be right
 * @property {number} since  the version at which it last changed, which names it within its epoch
 * @property {string} tag
 * @property {number} included  the last of the client's dispatches that is in it
 */
/**
 * A client's copy of one selection with its parameters.
 *
 * It moves only from one true value to a later one: a patch that doesn't apply exactly asks for a
 * snapshot instead. Belongs to its session.
 */
export class Mirror {
    /**
     * @param {string} selection
     * @param {unknown} parameters  undefined for none
     */
    constructor(selection: string, parameters: unknown);
    ref: number;
    /** @type {number | undefined} */
    sub: number | undefined;
    /**
     * Up to where the value is known to be what it is.
     *
     * @type {Position | undefined}
     */
    position: Position | undefined;
    /**
     * Why the server sends nothing.
     *
     * @type {Rejection | undefined}
     */
    failure: Rejection | undefined;
    /** The subscription that the mirror has now failed; `failure` may be that of one before. */
    isRefused: boolean;
    /** The last of the client's dispatches that is in the value; all above it are still to come. */
    included: number;
    /** The server has answered the subscription that the mirror has now. */
    isAnswered: boolean;
    /** Outcomes wait for that answer. */
    isAwaited: boolean;
    /**
     * Called after a change of value or failure, when all mirrors of the connection have moved.
     *
     * @type {Set<() => void>}
     */
    observers: Set<() => void>;
    selection: string;
    parameters: unknown;
    /** The same text for all that mirror the same. */
    key: string;
    /**
     * The newest true value that is known; undefined before the first snapshot. It stays when the
     * server stops sending, and never changes once it was handed out.
     */
    get value(): unknown;
    /** Whether the server keeps it up to date on the connection that there is now. */
    get isLive(): boolean;
    /**
     * What is kept for the next session; undefined if there is no copy, or it is one that was kept.
     *
     * @returns {MirrorContent | undefined}
     */
    get content(): MirrorContent | undefined;
    /**
     * Begins with what was kept.
     *
     * @param {MirrorContent} content
     * @param {boolean} isShown  false to show it when the server has confirmed it
     */
    restore({ value, position, since, tag, included }: MirrorContent, isShown: boolean): void;
    /**
     * Where to go on after a reconnect.
     *
     * @returns {import("../wire/ClientFrame.js").ResumePoint | undefined}
     */
    get resumePoint(): import("../wire/ClientFrame.js").ResumePoint | undefined;
    /**
     * The mirror asks for an answer, as `ref`.
     *
     * @param {number} ref
     */
    subscribes(ref: number): void;
    /**
     * @param {number} sub
     * @param {string} tag
     */
    subscribed(sub: number, tag: string): void;
    /**
     * The connection has one copy for both: begins with what the other has of it.
     *
     * @param {Mirror} other
     */
    adopt(other: Mirror): void;
    /** Calls the observers. */
    tell(): void;
    /** @param {Rejection} rejection */
    fail(rejection: Rejection): void;
    /**
     * Takes what came of the selection; false if it isn't for the value at hand.
     *
     * @param {import("../wire/ServerFrame.js").Part} part
     * @param {string} epoch
     */
    take(part: import("../wire/ServerFrame.js").Part, epoch: string): boolean;
    /**
     * The whole connection has reached `position`.
     *
     * @param {Position} position
     */
    advance(position: Position): void;
    /**
     * The server has settled every dispatch up to `seq`, and says nothing of the selection that is
     * older than that: a value that is answered for holds them.
     *
     * @param {number} seq
     * @returns {boolean} whether it holds more of them than before
     */
    include(seq: number): boolean;
    /** The copy is of no use any more for what comes; it goes on being shown. */
    forget(): void;
    #private;
}
export type Rejection = import("../wire/Rejection.js").Rejection;
export type Position = import("./Position.js").Position;
/**
 * What it takes to go on from a value.
 */
export type MirrorContent = {
    value: unknown;
    /**
     * the newest at which the value is known to be right
     */
    position: Position;
    /**
     * the version at which it last changed, which names it within its epoch
     */
    since: number;
    tag: string;
    /**
     * the last of the client's dispatches that is in it
     */
    included: number;
};
