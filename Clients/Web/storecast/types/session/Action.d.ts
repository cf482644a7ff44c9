/**
 * The text as which an action is sent.
 *
 * @param {Action} action
 * @param {import("../wire/ServerFrame.js").Limits} limits  of the server
 * @throws {Rejection} `invalid`, if the server could not read it
 */
export function writeAction(action: Action, limits: import("../wire/ServerFrame.js").Limits): string;
/**
 * Something that a client asks for.
 */
export type Action = {
    readonly type: string;
    readonly payload?: unknown;
};
