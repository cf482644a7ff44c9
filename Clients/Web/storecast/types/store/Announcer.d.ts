/** Tells listeners of what has changed, together and not too often. */
export class Announcer {
    /**
     * @param {Notify} notify
     * @param {import("../connection/Platform.js").Platform} platform
     */
    constructor(notify: Notify, platform: import("../connection/Platform.js").Platform);
    /**
     * Will be asked to announce.
     *
     * @param {{ announce: () => void }} changed
     */
    add(changed: {
        announce: () => void;
    }): void;
    /** Announces now; what changes meanwhile, too. */
    flush(): void;
    #private;
}
/**
 * When stores tell their listeners what the server has changed.
 *
 * - `"frame"`: at most once per frame of the browser (and at least once a second where it draws
 *   none, in a hidden page); where there are no frames, as in node, like `"microtask"`.
 * - `"microtask"`: behind each message of the server.
 * - a function: whenever it calls what it is given.
 */
export type Notify = "frame" | "microtask" | ((announce: () => void) => void);
