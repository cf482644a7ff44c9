/**
 * A patch (RFC 6902) that makes one JSON value another, as a server sends it: parts that are the
 * same aren't in it, so that they stay the same objects in a mirror.
 *
 * @param {unknown} from
 * @param {unknown} to
 * @param {string} [path]
 * @returns {object[]}
 */
export function difference(from: unknown, to: unknown, path?: string | undefined): object[];
