/**
 * Whether a client connects again by itself after a close with this code.
 *
 * @param {number} code
 */
export function allowsReconnect(code: number): boolean;
/**
 * The close codes of the protocol after which a client doesn't connect again by itself, and the
 * words for them: the code that the status has then.
 */
export const finalCodes: Map<number, string>;
