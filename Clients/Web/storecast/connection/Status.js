/**
 * How a connection is doing.
 *
 * - `connecting`: on the way.
 * - `live`: stores follow the server.
 * - `offline`: lost at `since`, for a reason that is a sentence; the next try is made at `retryAt`.
 *   Both are milliseconds since 1970.
 * - `refused`: the server doesn't want this client, and `code` says by what: `unauthenticated`,
 *   `forbidden`, `no-room`, `replaced`, …. Nothing is tried until `reconnect()`.
 * - `closed`: over, by `close()`.
 *
 * @typedef {{ readonly state: "connecting" } | { readonly state: "live" } | Offline | Refused
 *     | { readonly state: "closed" }} Status
 */

/**
 * @typedef {object} Offline
 * @property {"offline"} state
 * @property {number} since
 * @property {number} retryAt
 * @property {string} because
 */

/**
 * @typedef {object} Refused
 * @property {"refused"} state
 * @property {string} code
 * @property {string} because
 */

export {};
