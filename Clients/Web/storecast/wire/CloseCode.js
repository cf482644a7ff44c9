/**
 * The close codes of the protocol after which a client doesn't connect again by itself, and the
 * words for them: the code that the status has then.
 */
export const finalCodes = new Map([
  [1000, "normal"],
  [1003, "binary-message"],
  [1007, "not-utf8"],
  [1009, "too-big"],
  [4100, "protocol-violation"],
  [4101, "unauthenticated"],
  [4102, "forbidden"],
  [4103, "unsupported-version"],
  [4104, "replaced"],
  [4105, "no-room"],
  [4106, "kicked"],
]);

/**
 * Whether a client connects again by itself after a close with this code.
 *
 * @param {number} code
 */
export function allowsReconnect(code) {
  const isFinal = finalCodes.has(code) || code === 1008 || code === 1010;
  return !isFinal && !(code >= 4100 && code <= 4199);
}
