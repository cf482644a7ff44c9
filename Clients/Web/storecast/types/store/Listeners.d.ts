/**
 * Calls `listener` when `read` gives something else than before.
 *
 * @param {() => unknown} read
 * @param {() => void} listener
 */
export function onChange(read: () => unknown, listener: () => void): () => void;
/**
 * Whether two lists have the same in every place.
 *
 * @param {readonly unknown[]} one
 * @param {readonly unknown[]} other
 */
export function isSame(one: readonly unknown[], other: readonly unknown[]): boolean;
/**
 * Lets the program hear of it as of every error that nobody caught.
 *
 * @param {unknown} error
 */
export function reportError(error: unknown): void;
/** Those who want to be told of changes. */
export class Listeners {
    get count(): number;
    /**
     * @param {() => void} listener  counts as often as it is added
     * @returns {() => void} takes it out again
     */
    add(listener: () => void): () => void;
    /**
     * Calls all that are there now; one that throws keeps no other from being called.
     *
     * The program hears of what was thrown as of every error that nobody caught.
     */
    call(): void;
    #private;
}
