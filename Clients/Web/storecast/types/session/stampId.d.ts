/**
 * The id that the server gives to the action of a client's dispatch: 26 letters and digits, from
 * what both sides know. Docs/Protocol.md says how.
 *
 * @param {string} client
 * @param {number} seq
 */
export function stampId(client: string, seq: number): string;
/**
 * The SHA-256 digest of a text (FIPS 180-4). The browser's own is only there for pages from a
 * secure origin, and only as a promise.
 *
 * @param {string} text  of ASCII
 * @returns {string} in hexadecimal digits
 */
export function sha256(text: string): string;
