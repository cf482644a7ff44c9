/**
 * A JSON value to which patches (RFC 6902) are applied, one after the other.
 *
 * Values that were handed out never change: what a patch touches is copied, once between two
 * looks at the value however many patches come, and the rest is shared. So a look costs nothing,
 * equal parts stay identical (`===`), and ten thousand patches between two looks cost the copies
 * of one. Members are plain data: `__proto__` is a name like any other.
 */
export class PatchedValue {
    /** @param {unknown} value */
    constructor(value: unknown);
    /** The value; handed out, and unchangeable from now on. */
    get value(): unknown;
    /**
     * Applies a patch.
     *
     * @param {unknown[]} operations
     * @throws {Error} if one of them can't be applied; the value is of no use then, and what was
     *     handed out is as it was
     */
    apply(operations: unknown[]): void;
    #private;
}
export type Container = unknown[] | Record<string, unknown>;
