/**
 * Where a client's copy of a selection is: for `subscribe`.
 *
 * @typedef {{ epoch: string, v: number, tag: string }} ResumePoint
 */
/**
 * @param {object} hello
 * @param {string} hello.client
 * @param {number | undefined} hello.connection
 * @param {number} hello.settled
 * @param {{ epoch: string, version: number } | undefined} hello.seen
 * @param {string | undefined} [hello.term]  in which the client has seen that
 * @param {string | undefined} hello.token
 * @param {number | undefined} [hello.parts]  the form of parts that are taken; undefined for none
 */
export function writeHello({ settled, seen, ...hello }: {
    client: string;
    connection: number | undefined;
    settled: number;
    seen: {
        epoch: string;
        version: number;
    } | undefined;
    term?: string | undefined;
    token: string | undefined;
    parts?: number | undefined;
}): string;
/**
 * @param {object} subscribe
 * @param {number} subscribe.ref
 * @param {string} subscribe.select
 * @param {unknown} subscribe.params  undefined for none
 * @param {ResumePoint | undefined} subscribe.at
 */
export function writeSubscribe(subscribe: {
    ref: number;
    select: string;
    params: unknown;
    at: ResumePoint | undefined;
}): string;
/** @param {number} ref */
export function writeUnsubscribe(ref: number): string;
/**
 * @param {object} dispatch
 * @param {number} dispatch.seq
 * @param {number} dispatch.base
 * @param {number} dispatch.settled
 * @param {string | undefined} dispatch.traceparent
 * @param {string} action  JSON text
 */
export function writeDispatch({ settled, ...dispatch }: {
    seq: number;
    base: number;
    settled: number;
    traceparent: string | undefined;
}, action: string): string;
/** @param {string} token */
export function writeAuthenticate(token: string): string;
export function writePing(): string;
/**
 * The size of a text on the wire, in bytes.
 *
 * @param {string} text
 */
export function utf8Length(text: string): number;
/** The version of the protocol that this client speaks. */
export const protocolVersion: 1;
/** The WebSocket subprotocol that stands for it. */
export const subprotocol: "storecast.v1";
/**
 * Where a client's copy of a selection is: for `subscribe`.
 */
export type ResumePoint = {
    epoch: string;
    v: number;
    tag: string;
};
