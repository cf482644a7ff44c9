/** A message or a frame that can't be used, by a code of the protocol's. */
export class FrameError extends Error {
  /**
   * @param {"malformed" | "invalid-frame"} code
   * @param {string} message  what was wrong
   */
  constructor(code, message) {
    super(message);
    this.name = "FrameError";
    this.code = code;
  }
}
