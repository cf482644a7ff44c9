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
export function writeHello({ client, connection, settled, seen, term, token, parts }) {
  return JSON.stringify({
    op: "hello",
    proto: protocolVersion,
    client,
    connection,
    settled: settled > 0 ? settled : undefined,
    seen: seen && { epoch: seen.epoch, v: seen.version },
    term,
    token,
    parts,
  });
}

/**
 * @param {object} subscribe
 * @param {number} subscribe.ref
 * @param {string} subscribe.select
 * @param {unknown} subscribe.params  undefined for none
 * @param {ResumePoint | undefined} subscribe.at
 */
export function writeSubscribe({ ref, select, params, at }) {
  return JSON.stringify({ op: "subscribe", ref, select, params, at });
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
export function writeDispatch({ seq, base, settled, traceparent }, action) {
  const known = settled > 0 ? `"settled":${settled},` : "";
  const span = traceparent ? `"traceparent":${JSON.stringify(traceparent)},` : "";
  return `{"op":"dispatch","seq":${seq},"base":${base},${known}${span}"action":${action}}`;
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
