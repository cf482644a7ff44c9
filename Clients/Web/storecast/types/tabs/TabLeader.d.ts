/** @typedef {import("../wire/ServerFrame.js").ServerFrame} ServerFrame */
/**
 * What a following tab asked for as `ref`.
 *
 * @typedef {{ mirror: Mirror, observer: () => void, at: any, isAnswered: boolean }} Followed
 */
/**
 * The tab that has the connection, for those that follow it. It follows for them what they mirror,
 * takes what they dispatch into the outbox, and tells them all that moves.
 *
 * What they dispatch is taken with the number with which it was made, or not at all: ids that
 * stand in later actions depend on it. When tabs dispatch at the same moment, all but one number
 * their actions anew and ask again.
 */
export class TabLeader {
    /**
     * @param {string} tab
     * @param {import("./Tabs.js").TabParts} parts
     * @param {{ post: (message: object) => void, watch: (tab: string) => void }} ways
     */
    constructor(tab: string, parts: import("./Tabs.js").TabParts, ways: {
        post: (message: object) => void;
        watch: (tab: string) => void;
    });
    /** Aborted when this tab leads no more. */
    ending: AbortController;
    /**
     * The outbox is open.
     *
     * @param {ReadonlySet<string>} gone  the tabs with dispatches in it that are there no more
     */
    begin(gone: ReadonlySet<string>): void;
    /** @param {any} message  of a tab */
    receive(message: any): void;
    /**
     * Nobody is there any more who waits for a tab's outcomes.
     *
     * @param {string} tab
     */
    gone(tab: string): void;
    /** Tells of what the outbox has taken. */
    appended(): void;
    /** @param {ServerFrame[]} frames  for all of them, together */
    relay(frames: ServerFrame[]): void;
    statusChanged(): void;
    /** This tab doesn't lead any more. */
    stop(): void;
    #private;
}
export type ServerFrame = import("../wire/ServerFrame.js").ServerFrame;
/**
 * What a following tab asked for as `ref`.
 */
export type Followed = {
    mirror: Mirror;
    observer: () => void;
    at: any;
    isAnswered: boolean;
};
import { Mirror } from "../session/Mirror.js";
