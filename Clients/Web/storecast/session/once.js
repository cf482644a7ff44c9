/**
 * A question to the server.
 *
 * @typedef {object} Question
 * @property {Promise<any>} value  rejects with a `Rejection`
 * @property {(reason: unknown) => void} fail  ends the wait
 * @property {() => void} end  is to be called when nobody waits any more
 */

/**
 * The value of a selection as soon as the server has told it; it is followed until `end`.
 *
 * @param {import("./ClientSession.js").ClientSession} session
 * @param {import("./Mirror.js").Mirror} wanted
 * @returns {Question}
 */
export function once(session, wanted) {
  const mirror = session.follow(wanted);
  /** @type {(value: unknown) => void} */
  let resolve = () => {};
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  const value = new Promise((...ends) => ([resolve, fail] = ends));
  const look = () => {
    if (mirror.isRefused) fail(mirror.failure);
    else if (mirror.isLive && mirror.value !== undefined) resolve(mirror.value);
  };
  mirror.observers.add(look);
  look();
  const end = () => {
    mirror.observers.delete(look);
    session.release(mirror);
  };
  return { value, fail, end };
}
