/**
 * From now on it is noted which members of an object patches touch.
 *
 * @param {object} value  one that was handed out
 */
export function noteTouches(value: object): void;
/**
 * The members by which one version of an object may differ from another: at least those that do.
 *
 * @param {object} one
 * @param {object} other
 * @returns {Set<string> | undefined} undefined if that isn't known
 */
export function touchedMembers(one: object, other: object): Set<string> | undefined;
/**
 * A patch is about to change `copy`, the next version of `original`.
 *
 * @param {object} original
 * @param {object} copy
 */
export function noteCopy(original: object, copy: object): void;
/**
 * A patch changes a member of a version that nobody has seen yet.
 *
 * @param {object} value
 * @param {string} name
 */
export function noteTouch(value: object, name: string): void;
/**
 * A version of an object: what patches made of the one before. `end` is where its touches end, once
 * there is a next one.
 */
export type Version = {
    touches: Touches;
    end: number | undefined;
};
/** The names of the members that patches touched, one after the other. */
declare class Touches {
    get end(): number;
    /** @param {string} name */
    add(name: string): void;
    /**
     * @param {number} start
     * @param {number} end
     * @returns {Set<string> | undefined} undefined if they aren't all there any more
     */
    between(start: number, end: number): Set<string> | undefined;
    #private;
}
export {};
