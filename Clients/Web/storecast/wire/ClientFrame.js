/** The version of the protocol that this client speaks. */
export const protocolVersion = 1;

/** The WebSocket subprotocol that stands for it. */
export const subprotocol = "storecast.v1";

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
export function writeHello({ settled, seen, ...hello }) {
  return JSON.stringify({
    op: "hello",
    proto: protocolVersion,
    ...hello,
    settled: settled || undefined,
    seen: seen && { epoch: seen.epoch, v: seen.version },
  });
}

/**
 * @param {object} subscribe
 * @param {number} subscribe.ref
 * @param {string} subscribe.select
 * @param {unknown} subscribe.params  undefined for none
 * @param {ResumePoint | undefined} subscribe.at
 */
export function writeSubscribe(subscribe) {
  return JSON.stringify({ op: "subscribe", ...subscribe });
}

/** @param {number} ref */
export function writeUnsubscribe(ref) {
  return JSON.stringify({ op: "unsubscribe", ref });
}

/**
 * @param {object} dispatch
 * @param {number} dispatch.seq
 * @param {number} dispatch.base
 * @param {number} dispatch.settled
 * @param {string | undefined} dispatch.traceparent
 * @param {string} action  JSON text
 */
export function writeDispatch({ settled, ...dispatch }, action) {
  const frame = JSON.stringify({ op: "dispatch", ...dispatch, settled: settled || undefined });
  return `${frame.slice(0, -1)},"action":${action}}`;
}

/** @param {string} token */
export function writeAuthenticate(token) {
  return JSON.stringify({ op: "authenticate", token });
}

export function writePing() {
  return '{"op":"ping"}';
}

/**
 * The size of a text on the wire, in bytes.
 *
 * @param {string} text
 */
export function utf8Length(text) {
  return new TextEncoder().encode(text).length;
}
