/**
 * Whether two JSON values are equal: numbers by value, objects regardless of the order of members.
 *
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function isEqualJSON(one: unknown, other: unknown): boolean;
/**
 * Whether a JSON value is an object, and not an array.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value: unknown): value is Record<string, unknown>;
/**
 * One text for all equal values: the members of objects are in order.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonicalText(value: unknown): string;
/**
 * Whether a value would be more than `limit` values one within the other if it were written out.
 * Copies share their storage here, but not in what is made of the value.
 *
 * @param {unknown} value
 * @param {number} limit
 */
export function isLargerThan(value: unknown, limit: number): boolean;
