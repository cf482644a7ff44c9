/**
 * Does `work` when a signal is aborted; at once if it is already.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} work
 * @returns {() => void} forgets that
 */
export function onAbort(signal, work) {
  if (signal?.aborted) work();
  signal?.addEventListener("abort", work, { once: true });
  return () => signal?.removeEventListener("abort", work);
}

/**
 * What a promise comes to, unless the signal is aborted before: then the rejection is its reason.
 * Nobody has to catch it.
 *
 * @template Value
 * @param {Promise<Value>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Value>}
 */
export function untilAborted(promise, signal) {
  if (!signal) return promise;
  /** @type {Promise<Value>} */
  const result = new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
  result.catch(() => {});
  return result;
}
