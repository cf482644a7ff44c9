import { isObject } from "./JSONValue.js";

/**
 * Whether a value that came from outside is one that is taken.
 *
 * @typedef {(value: unknown) => boolean} Check
 */

/**
 * What the members of an object must be.
 *
 * @typedef {Record<string, Check>} Shape
 */

/** @type {Check} */
export const number = (value) => typeof value === "number";

/** @type {Check} */
export const string = (value) => typeof value === "string";

/** @type {Check} */
export const boolean = (value) => typeof value === "boolean";

/**
 * 0 … 2^53 − 1.
 *
 * @type {(value: unknown) => value is number}
 */
export const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** @type {(check: Check) => Check} */
export const optional = (check) => (value) => value === undefined || check(value);

/** @type {(check: Check) => Check} */
export const list = (check) => (value) => Array.isArray(value) && value.every(check);

/** @type {(shape: Shape) => Check} */
export const object = (shape) => (value) => isObject(value) && misfit(value, shape) === undefined;

/**
 * The first member that isn't as it must be: one that is undefined, isn't there.
 *
 * @param {Record<string, unknown>} value
 * @param {Shape} shape
 */
export function misfit(value, shape) {
  return Object.keys(shape).find((name) => !shape[name]?.(value[name]));
}
