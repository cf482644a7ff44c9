/**
 * A point of a room's history. Versions of one epoch can be compared; a version stands for one
 * state, for ever.
 *
 * @typedef {{ readonly epoch: string, readonly version: number }} Position
 */
/**
 * The later of two positions; the second if they are of different epochs.
 *
 * @param {Position | undefined} old
 * @param {Position} next
 * @returns {Position}
 */
export function later(old: Position | undefined, next: Position): Position;
/**
 * A point of a room's history. Versions of one epoch can be compared; a version stands for one
 * state, for ever.
 */
export type Position = {
    readonly epoch: string;
    readonly version: number;
};
