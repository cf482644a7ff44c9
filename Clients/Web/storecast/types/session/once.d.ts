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
export function once(session: import("./ClientSession.js").ClientSession, wanted: import("./Mirror.js").Mirror): Question;
/**
 * A question to the server.
 */
export type Question = {
    /**
     * rejects with a `Rejection`
     */
    value: Promise<any>;
    /**
     * ends the wait
     */
    fail: (reason: unknown) => void;
    /**
     * is to be called when nobody waits any more
     */
    end: () => void;
};
