/**
 * Finds out that a connection is dead: pings after a time of silence, and takes the connection for
 * lost when as long again passes without a message.
 */
export class Heartbeat {
    /**
     * @param {import("./Platform.js").Platform} platform
     * @param {() => void} ping  asks for a sign of life
     * @param {() => void} lost  none came
     */
    constructor(platform: import("./Platform.js").Platform, ping: () => void, lost: () => void);
    /**
     * The connection is live.
     *
     * @param {number} seconds  of silence before a ping
     */
    start(seconds: number): void;
    stop(): void;
    /** A message came. */
    heard(): void;
    /** The network has changed: finds out now whether the connection is still there. */
    probe(): void;
    #private;
}
