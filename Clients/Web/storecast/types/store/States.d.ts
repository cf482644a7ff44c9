/**
 * Whose states are told.
 *
 * @typedef {object} Source
 * @property {(listener: () => void) => () => void} subscribe
 * @property {(closed: () => void) => () => void} onClose  calls `closed` when nothing more comes
 * @property {import("../wire/Rejection.js").Rejection | undefined} problem
 */
/**
 * A store's states for `for await`: the one that there is, then the newest whenever it is another.
 *
 * Nothing piles up: whoever is slow misses what was in between. It ends when the store or its
 * connection is closed, and throws what the store has as another `problem`.
 *
 * @template State
 * @implements {AsyncIterableIterator<State>}
 */
export class States<State> implements AsyncIterableIterator<State> {
    /**
     * @param {Source} source
     * @param {() => State | undefined} read
     */
    constructor(source: Source, read: () => State | undefined);
    /** @returns {Promise<IteratorResult<State>>} */
    next(): Promise<IteratorResult<State>>;
    /** @returns {Promise<IteratorResult<State>>} */
    return(): Promise<IteratorResult<State>>;
    [Symbol.asyncIterator](): States<State>;
    #private;
}
/**
 * Whose states are told.
 */
export type Source = {
    subscribe: (listener: () => void) => () => void;
    /**
     * calls `closed` when nothing more comes
     */
    onClose: (closed: () => void) => () => void;
    problem: import("../wire/Rejection.js").Rejection | undefined;
};
