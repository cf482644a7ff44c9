import { FrameError } from "./FrameError.js";

/** The form of parts that this client understands. */
export const partsForm = 1;

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
export function isPart(message) {
  return /^[0-9]/.test(message);
}

const number = "(0|[1-9][0-9]{0,15}) ";
const header = new RegExp(`^${number.repeat(4)}`);

/**
 * Reads a message that begins with a digit.
 *
 * @param {string} message
 * @returns {SnapshotPart}
 * @throws {FrameError} if it is no part
 */
export function readPart(message) {
  const found = header.exec(message);
  const [sub = -1, v = -1, offset = -1, bytes = -1] = found?.slice(1).map(Number) ?? [];
  if (!found || ![sub, v, offset, bytes].every(Number.isSafeInteger)) {
    throw new FrameError("malformed", "A part of a value must begin with four numbers.");
  }
  return { sub, v, offset, bytes, text: message.slice(found[0].length) };
}
