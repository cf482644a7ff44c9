/**
 * The reference tokens of a JSON Pointer (RFC 6901).
 *
 * @param {unknown} pointer
 * @returns {string[]}
 * @throws {Error} if it isn't one
 */
export function readPointer(pointer: unknown): string[];
/**
 * The pointer to a member or an element of what `path` points to.
 *
 * @param {string} path
 * @param {string | number} token
 */
export function pointer(path: string, token: string | number): string;
/**
 * The index that a token stands for in an array (RFC 6901, section 4).
 *
 * @param {string} token
 * @param {number} end  the first index that there isn't
 * @throws {Error} if there is no such place
 */
export function readIndex(token: string, end: number): number;
