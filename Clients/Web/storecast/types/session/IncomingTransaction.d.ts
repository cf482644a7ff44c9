/** @typedef {import("../wire/ServerFrame.js").Part} Part */
/**
 * What the server announced to take effect together, and what came of it so far.
 *
 * It keeps at most one part for each of the client's mirrors, whatever was announced.
 */
export class IncomingTransaction {
    /** @param {import("../wire/ServerFrame.js").Transaction} frame */
    constructor({ v, count, acked }: import("../wire/ServerFrame.js").Transaction);
    version: number;
    count: number;
    acked: number | undefined;
    get isComplete(): boolean;
    get parts(): import("../wire/ServerFrame.js").Part[];
    /**
     * Takes the next part; false if there was one of its `sub` before. One of a `sub` that the
     * client doesn't follow, any more, only counts.
     *
     * @param {Part} part
     * @param {boolean} isFollowed
     */
    take(part: Part, isFollowed: boolean): boolean;
    #private;
}
export type Part = import("../wire/ServerFrame.js").Part;
