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
 */
export type Status = {
    readonly state: "connecting";
} | {
    readonly state: "live";
} | Offline | Refused | {
    readonly state: "closed";
};
export type Offline = {
    state: "offline";
    since: number;
    retryAt: number;
    because: string;
};
export type Refused = {
    state: "refused";
    code: string;
    because: string;
};
