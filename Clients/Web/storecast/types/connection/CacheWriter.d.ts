/** Keeps a cache's storage up to date. */
export class CacheWriter {
    /**
     * @param {string} url
     * @param {CacheOptions} options
     * @param {import("./Platform.js").Platform} platform
     * @param {ClientSession} session
     */
    constructor(url: string, options: CacheOptions, platform: import("./Platform.js").Platform, session: ClientSession);
    /** Whether this program writes: of tabs that share a connection one does. */
    isWriting: boolean;
    /** Reads what was kept. */
    read(): Promise<void>;
    /**
     * Gives the session what was read, now that the client's id is known.
     *
     * @param {string} url
     * @param {string} [newer]  what the tab that leads has, in the place of that
     */
    open(url: string, newer?: string | undefined): void;
    /** Something has changed: it is written with all that changes soon. */
    schedule(): void;
    /** What there is to keep now; undefined if there is nothing, or may be nothing any more. */
    get text(): string | undefined;
    /** Writes what is followed now; fulfilled when that is done, or can't be. */
    save(): Promise<void>;
    /** The viewer may have it. */
    admit(): void;
    /** The viewer may have nothing of it any more, until `admit` is called. */
    clear(): Promise<void>;
    /** Takes everything away, and keeps nothing from now on. */
    wipe(): Promise<void>;
    /** Writes for the last time. */
    close(): void;
    #private;
}
export type CacheOptions = import("../cache/CacheStorage.js").CacheOptions;
export type ClientSession = import("../session/ClientSession.js").ClientSession;
