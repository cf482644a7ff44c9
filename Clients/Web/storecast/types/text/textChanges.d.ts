/** @typedef {{ start: number, end: number }} Range */
/**
 * What makes one text of another, with whole words left as they are or replaced.
 *
 * Words, because letters that two words happen to share would mingle with what others make of the
 * same word at the same time. Swift's `TextDifference` finds the same changes.
 *
 * @param {readonly string[]} old  scalars
 * @param {readonly string[]} text
 * @param {number} most  how many changes there may be; beyond, they are one
 * @returns {import("./SharedText.js").TextChange[]}
 */
export function textChanges(old: readonly string[], text: readonly string[], most: number): import("./SharedText.js").TextChange[];
export type Range = {
    start: number;
    end: number;
};
