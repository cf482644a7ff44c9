/**
 * A piece of the JSON text of a large value.
 *
 * @typedef {object} SnapshotPart
 * @property {number} sub
 * @property {number} v  the version of the whole value
 * @property {number} offset  how many bytes of its text came before
 * @property {number} bytes  how many the whole text has
 * @property {string} text
 */
/**
 * Whether a message of the server's is a part: it begins with a digit, and a frame doesn't.
 *
 * @param {string} message
 */
export function isPart(message: string): boolean;
/**
 * Reads a message that begins with a digit.
 *
 * @param {string} message
 * @returns {SnapshotPart}
 * @throws {FrameError} if it is no part
 */
export function readPart(message: string): SnapshotPart;
/** The form of parts that this client understands. */
export const partsForm: 1;
/**
 * A piece of the JSON text of a large value.
 */
export type SnapshotPart = {
    sub: number;
    /**
     * the version of the whole value
     */
    v: number;
    /**
     * how many bytes of its text came before
     */
    offset: number;
    /**
     * how many the whole text has
     */
    bytes: number;
    text: string;
};
