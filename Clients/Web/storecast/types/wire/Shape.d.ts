/**
 * The first member that isn't as it must be: one that is undefined, isn't there.
 *
 * @param {Record<string, unknown>} value
 * @param {Shape} shape
 */
export function misfit(value: Record<string, unknown>, shape: Shape): string | undefined;
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
export const number: Check;
/** @type {Check} */
export const string: Check;
/** @type {Check} */
export const boolean: Check;
/**
 * 0 … 2^53 − 1.
 *
 * @type {(value: unknown) => value is number}
 */
export const isCount: (value: unknown) => value is number;
/** @type {(check: Check) => Check} */
export const optional: (check: Check) => Check;
/** @type {(check: Check) => Check} */
export const list: (check: Check) => Check;
/** @type {(shape: Shape) => Check} */
export const object: (shape: Shape) => Check;
/**
 * Whether a value that came from outside is one that is taken.
 */
export type Check = (value: unknown) => boolean;
/**
 * What the members of an object must be.
 */
export type Shape = Record<string, Check>;
