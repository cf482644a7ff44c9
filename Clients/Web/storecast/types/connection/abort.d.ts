/**
 * Does `work` when a signal is aborted; at once if it is already.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} work
 * @returns {() => void} forgets that
 */
export function onAbort(signal: AbortSignal | undefined, work: () => void): () => void;
/**
 * What a promise comes to, unless the signal is aborted before: then the rejection is its reason.
 * Nobody has to catch it.
 *
 * @template Value
 * @param {Promise<Value>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Value>}
 */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
