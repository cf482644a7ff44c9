/**
 * What a request brings.
 *
 * @template Value
 * @param {IDBRequest<Value>} request
 * @returns {Promise<Value>}
 */
export function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Fulfilled when all of a transaction is kept.
 *
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
export function completion(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("It was withdrawn."));
  });
}
