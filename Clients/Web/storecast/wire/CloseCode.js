/** The close codes of the protocol, and the words for them. */
export const closeCodes = new Map([
  [1000, "normal"],
  [1001, "going-away"],
  [1003, "binary-message"],
  [1007, "not-utf8"],
  [1009, "too-big"],
  [1011, "internal"],
  [4000, "behind"],
  [4001, "hello-timeout"],
  [4002, "full"],
  [4003, "expired"],
  [4004, "revoked"],
  [4005, "busy"],
  [4100, "protocol-violation"],
  [4101, "unauthenticated"],
  [4102, "forbidden"],
  [4103, "unsupported-version"],
  [4104, "replaced"],
  [4105, "no-room"],
  [4106, "kicked"],
]);

const final = new Set([1000, 1003, 1007, 1008, 1009, 1010]);

/**
 * Whether a client connects again by itself after a close with this code.
 *
 * @param {number} code
 */
export function allowsReconnect(code) {
  return !final.has(code) && !(code >= 4100 && code <= 4199);
}
