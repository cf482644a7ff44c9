/** @typedef {import("../wire/SnapshotPart.js").SnapshotPart} SnapshotPart */
/** @typedef {import("../wire/ServerFrame.js").Part} Part */
/** A value that comes in parts, until the message that goes on from it. */
export class PartedValue {
    /**
     * @param {SnapshotPart} first
     * @param {boolean} isWanted
     */
    constructor({ sub, v, bytes }: SnapshotPart, isWanted: boolean);
    /** Whether the server may have ended it, so that another may begin. */
    mayBeOver: boolean;
    sub: number;
    v: number;
    bytes: number;
    /** Whether all of it has come. */
    get isComplete(): boolean;
    /**
     * Takes the next part.
     *
     * @param {SnapshotPart} part
     * @throws {FrameError} if it is another, or doesn't fit
     */
    append({ sub, v, offset, bytes, text }: SnapshotPart): void;
    /** Nobody wants the value any more. */
    discard(): void;
    /** Whether it is there, and waits for the message that goes on from it. */
    get isWhole(): boolean;
    /**
     * The snapshot that it was, if `part` goes on from it.
     *
     * @param {Part} part
     * @returns {Part | undefined}
     */
    snapshot(part: Part): Part | undefined;
    #private;
}
export type SnapshotPart = import("../wire/SnapshotPart.js").SnapshotPart;
export type Part = import("../wire/ServerFrame.js").Part;
