/**
 * How long a client waits before it connects again: twice as long after every failure, within
 * bounds, and then by chance between half of that and all of it, so that the clients of a server
 * that went down don't come back at the same moment.
 */
export class BackOff {
    /** @param {() => number} random  from 0 up to 1 */
    constructor(random: () => number);
    /** The next wait is as short as the first. */
    reset(): void;
    /**
     * The connection was live for so many seconds.
     *
     * A server that welcomes everyone and hangs up at once is as broken as one that doesn't answer.
     *
     * @param {number} seconds
     */
    wasLive(seconds: number): void;
    /**
     * Seconds to wait after one more failure, of which the server may have said `bye`: at least as
     * long as it asks for, up to two hours.
     *
     * @param {import("../wire/ServerFrame.js").Bye} [bye]
     */
    next(bye?: import("../wire/ServerFrame.js").Bye | undefined): number;
    #private;
}
