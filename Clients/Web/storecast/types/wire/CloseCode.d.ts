/**
 * Whether a client connects again by itself after a close with this code.
 *
 * @param {number} code
 */
export function allowsReconnect(code: number): boolean;
/** The close codes of the protocol, and the words for them. */
export const closeCodes: Map<number, string>;
