/**
 * Reads one message as strictly as the protocol asks for.
 *
 * `JSON.parse` refuses all that RFC 8259 does, and a byte order mark; what it lets pass is looked
 * for here: members of one name, half surrogate pairs, numbers too large for a double. Integers
 * beyond 2^53 are rounded to the nearest double, as in every JavaScript program.
 *
 * @param {string} text
 * @returns {unknown}
 * @throws {FrameError} `malformed`
 */
export function readJSON(text: string): unknown;
/**
 * How deep a value is nested and how many members its objects have in all.
 *
 * @param {unknown} value  made by `JSON.parse`
 * @returns {{ depth: number, members: number }}
 * @throws {FrameError} `malformed`, for what no JSON text may hold
 */
export function inspectJSON(value: unknown): {
    depth: number;
    members: number;
};
