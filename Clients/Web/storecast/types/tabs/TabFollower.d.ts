/**
 * A tab's connection by way of the tab that leads, in the place of `ConnectionCore`.
 *
 * Its session is told what the leader's is told, so that its mirrors move by themselves. Its outbox
 * is a copy of the leader's, and behind it what the leader has yet to take: that is said again
 * until the leader has it.
 */
export class TabFollower {
    /**
     * @param {string} tab
     * @param {import("./Tabs.js").TabParts} parts
     * @param {{ post: (message: object) => void, silent: () => void }} ways
     */
    constructor(tab: string, parts: import("./Tabs.js").TabParts, ways: {
        post: (message: object) => void;
        silent: () => void;
    });
    /** @type {Status} */
    status: Status;
    /** Asks the leader how things stand; it may be that there is none yet. */
    join(): void;
    /** @param {any} message  of a tab */
    receive(message: any): void;
    /** Connects at once, if the leader waits to try again. */
    reconnect(): void;
    /** @param {string} token */
    authenticate(token: string): void;
    /** Says what is to be said behind all that is being asked for now. */
    scheduleFlush(): void;
    welcomed(): void;
    /** The session can't use what the leader says: begins anew. */
    refuse(): void;
    held(): void;
    renew(): void;
    bye(): void;
    /** Ends the connection, for good. */
    close(): void;
    /** This tab doesn't follow any more. */
    stop(): void;
    #private;
}
export type Status = import("../connection/Status.js").Status;
