/** @typedef {import("./Mirror.js").Mirror} Mirror */
/** @typedef {import("../wire/ServerFrame.js").Limits} Limits */
/** What a client mirrors: asks the server for it, and gives what comes to the mirrors. */
export class Subscriptions {
    /**
     * @param {(frame: string) => void} say  sends a frame when there is a connection
     * @param {() => Limits} limits  of the server
     */
    constructor(say: (frame: string) => void, limits: () => Limits);
    get all(): import("./Mirror.js").Mirror[];
    /** Whether an answer is under way without which a mirror may be older than what is settled. */
    get isAwaiting(): boolean;
    /** A connection is there: asks for everything. */
    connected(): void;
    /** The connection is gone, and all its numbers with it. */
    disconnected(): void;
    /**
     * Follows what `mirror` is to mirror.
     *
     * @param {Mirror} mirror  a new one, or one that was followed before
     * @param {(mirror: Mirror) => void} restore  gives it what was kept of it
     * @returns {Mirror} the one that all share who follow this selection with equal parameters
     */
    follow(mirror: Mirror, restore: (mirror: Mirror) => void): Mirror;
    /**
     * Ends a mirror, of which nothing is wanted any more.
     *
     * @param {Mirror} mirror
     */
    release(mirror: Mirror): void;
    /**
     * The mirrors that follow `sub`.
     *
     * @param {number} sub
     * @returns {readonly Mirror[]}
     */
    of(sub: number): readonly Mirror[];
    /** @param {import("../wire/ServerFrame.js").Subscribed} frame */
    subscribed({ ref, sub, tag }: import("../wire/ServerFrame.js").Subscribed): void;
    /**
     * Applies a part; one that doesn't fit makes its mirrors begin anew.
     *
     * @param {import("../wire/ServerFrame.js").Part} part
     * @param {string} epoch
     * @returns {readonly Mirror[]} those that have moved
     */
    apply(part: import("../wire/ServerFrame.js").Part, epoch: string): readonly Mirror[];
    /**
     * The server has ended a subscription.
     *
     * @param {import("../wire/ServerFrame.js").Lapse} lapse
     * @returns {readonly Mirror[]} those that have failed
     */
    lapse({ sub, code }: import("../wire/ServerFrame.js").Lapse): readonly Mirror[];
    /**
     * The server can't use the subscription `ref`.
     *
     * @param {number} ref
     * @param {Rejection} rejection
     * @returns {Mirror[]} those that have failed
     */
    fail(ref: number, rejection: Rejection): Mirror[];
    /**
     * Ends what this client can't take the value of.
     *
     * @param {number} sub
     * @param {Rejection} rejection
     * @returns {readonly Mirror[]} those that have failed
     */
    refuse(sub: number, rejection: Rejection): readonly Mirror[];
    /**
     * Whether a mirror has `sub`, or may be told so any moment.
     *
     * @param {number} sub
     */
    mayFollow(sub: number): boolean;
    #private;
}
export type Mirror = import("./Mirror.js").Mirror;
export type Limits = import("../wire/ServerFrame.js").Limits;
import { Rejection } from "../wire/Rejection.js";
