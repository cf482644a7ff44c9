/**
 * Reads a message of the server's; undefined for an op of a later version, which is passed over.
 *
 * @param {string} text
 * @returns {ServerFrame | undefined}
 * @throws {FrameError} if it is no frame
 */
export function readServerFrame(text: string): ServerFrame | undefined;
/**
 * A rejection as `welcome` and `reject` tell it.
 */
export type Rejected = {
    seq: number;
    code: string;
    title: string;
    detail?: string | undefined;
};
/**
 * Whom a server takes its client for; `id` is empty for everybody who is anonymous.
 */
export type Identity = {
    readonly id: string;
    readonly roles: readonly string[];
};
export type Limits = {
    message: number;
    window: number;
    subscriptions: number;
    depth: number;
};
export type Welcome = {
    op: "welcome";
    proto: number;
    epoch: string;
    v: number;
    /**
     * in which term that is, if the room has terms
     */
    term?: string | undefined;
    lastSeq: number;
    rejected?: Rejected[] | undefined;
    heartbeat: number;
    limits: Limits;
    server: string;
    /**
     * who the client is, if the server says it
     */
    identity?: Identity | undefined;
    /**
     * the form in which large values come in parts
     */
    parts?: number | undefined;
};
export type Subscribed = {
    op: "subscribed";
    ref: number;
    sub: number;
    tag: string;
    bytes: number;
};
export type Snapshot = {
    op: "snapshot";
    sub: number;
    v: number;
    value: unknown;
};
export type Patch = {
    op: "patch";
    sub: number;
    from: number;
    v: number;
    ops: unknown[];
};
export type Current = {
    op: "current";
    sub: number;
    v: number;
};
export type Transaction = {
    op: "transaction";
    v: number;
    count: number;
    acked?: number | undefined;
};
export type Reject = {
    op: "reject";
    retryable: boolean;
    retryAfter?: number;
} & Rejected;
export type Lapse = {
    op: "lapse";
    sub: number;
    code: string;
};
export type Pong = {
    op: "pong";
    v: number;
};
export type Term = {
    op: "term";
    term: string;
};
export type Renew = {
    op: "renew";
    within: number;
};
export type ErrorFrame = {
    op: "error";
    code: string;
    title: string;
    detail?: string | undefined;
    ref?: number | undefined;
    seq?: number | undefined;
    index?: number | undefined;
};
export type Bye = {
    op: "bye";
    code: string;
    title: string;
    reconnect: boolean;
    after: number;
    jitter: number;
};
/**
 * What changes a mirror.
 */
export type Part = Snapshot | Patch | Current;
export type CommonFrame = Welcome | Subscribed | Part | Transaction | Reject;
export type ServerFrame = CommonFrame | Lapse | ErrorFrame | Pong | Term | Renew | Bye;
