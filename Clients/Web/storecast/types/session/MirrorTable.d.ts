/** @typedef {import("./Mirror.js").Mirror} Mirror */
/** The mirrors of a client, by what they mirror and by their numbers on the connection. */
export class MirrorTable {
    get all(): import("./Mirror.js").Mirror[];
    /**
     * The mirror of the same.
     *
     * @param {Mirror} mirror
     */
    find(mirror: Mirror): import("./Mirror.js").Mirror | undefined;
    /** @param {number} ref */
    withRef(ref: number): import("./Mirror.js").Mirror | undefined;
    /**
     * @param {number} sub
     * @returns {readonly Mirror[]}
     */
    withSub(sub: number): readonly Mirror[];
    /** @param {Mirror} mirror */
    insert(mirror: Mirror): void;
    /**
     * False if it isn't there.
     *
     * @param {Mirror} mirror
     */
    remove(mirror: Mirror): boolean;
    /**
     * The mirror asks as `ref`, and is nothing else on this connection.
     *
     * @param {Mirror} mirror
     * @param {number} ref
     */
    subscribes(mirror: Mirror, ref: number): void;
    /** @param {import("../wire/ServerFrame.js").Subscribed} frame */
    subscribed({ ref, sub, tag }: import("../wire/ServerFrame.js").Subscribed): void;
    /**
     * The mirror has no subscription any more.
     *
     * @param {Mirror} mirror
     */
    ended(mirror: Mirror): void;
    /** The connection is gone, and all its numbers with it. */
    disconnected(): void;
    #private;
}
export type Mirror = import("./Mirror.js").Mirror;
