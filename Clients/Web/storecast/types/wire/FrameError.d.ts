/** A message or a frame that can't be used, by a code of the protocol's. */
export class FrameError extends Error {
    /**
     * @param {"malformed" | "invalid-frame"} code
     * @param {string} message  what was wrong
     */
    constructor(code: "malformed" | "invalid-frame", message: string);
    code: "malformed" | "invalid-frame";
}
