/** @typedef {{ abort: AbortController, release: () => void, isGranted: boolean }} Claim */
/**
 * The tabs of a browser that share one connection and one outbox. One leads: it holds a lock, and
 * has the socket, the outbox and the cache. The others follow it, by messages. When it is closed
 * or stopped, or is silent for too long, another one takes the outbox over, with all that is in it.
 *
 * The outbox's storage decides who leads: whoever opened it last is the only one who can write, and
 * nothing is sent that isn't written.
 */
export class Tabs {
    /**
     * @param {SharedOutbox} shared
     * @param {import("../outbox/Slots.js").Locks} locks
     * @param {(name: string) => import("../connection/Platform.js").Channel} openChannel
     * @param {TabParts} parts
     */
    constructor(shared: SharedOutbox, locks: import("../outbox/Slots.js").Locks, openChannel: (name: string) => import("../connection/Platform.js").Channel, parts: TabParts);
    /** Names this tab. */
    tab: string;
    /** This tab's part, if it is the one that leads. */
    get leader(): TabLeader | undefined;
    /**
     * Asks at once for all that it needs, and takes its part when it has it: the browser needs a
     * while for each.
     *
     * @param {Promise<void> | undefined} reading  what has to be read before
     */
    start(reading: Promise<void> | undefined): Promise<void>;
    /** No tab is to keep anything in the cache; this one may be closed already. */
    wipe(): void;
    close(): void;
    #private;
}
export type ConnectionCore = import("../connection/ConnectionCore.js").ConnectionCore;
export type OpenOutbox = import("../outbox/OutboxStorage.js").OpenOutbox;
export type SharedOutbox = import("../outbox/OutboxStorage.js").SharedOutbox;
/**
 * What a tab needs of its connection.
 */
export type TabParts = {
    platform: import("../connection/Platform.js").Platform;
    session: import("../session/ClientSession.js").ClientSession;
    outbox: import("../session/Outbox.js").Outbox;
    connection: Pick<import("../connection/Connection.js").Connection, "status" | "authenticate" | "reconnect">;
    /**
     * the outbox is this tab's: connects
     */
    lead: (open: OpenOutbox) => void;
    /**
     * another tab has the outbox: lets go of it
     */
    follow: (follower: TabFollower) => void;
    /**
     * the tab can't share: has a connection of its own
     */
    alone: (problem?: unknown) => void;
    /**
     * the client's id is known: shows what was kept, or
     * what another tab has
     */
    restore: (newer?: string) => void;
    /**
     * what this tab would keep
     */
    kept: () => string | undefined;
    /**
     * the status has
     */
    changed: () => void;
    pendingChanged: () => void;
    scheduleFlush: () => void;
    /**
     * as the browser has told another tab
     */
    networkChanged: () => void;
    /**
     * takes the cache away
     */
    wipe: () => void;
};
export type Claim = {
    abort: AbortController;
    release: () => void;
    isGranted: boolean;
};
import { TabLeader } from "./TabLeader.js";
import { TabFollower } from "./TabFollower.js";
