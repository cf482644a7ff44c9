/**
 * What a request brings.
 *
 * @template Value
 * @param {IDBRequest<Value>} request
 * @returns {Promise<Value>}
 */
export function result<Value>(request: IDBRequest<Value>): Promise<Value>;
/**
 * Fulfilled when all of a transaction is kept.
 *
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
export function completion(transaction: IDBTransaction): Promise<void>;
