/**
 * A dispatch as it is kept.
 */
export type StoredDispatch = {
    seq: number;
    base: number;
    /**
     * that of `base`
     */
    epoch: string;
    /**
     * JSON text
     */
    action: string;
    /**
     * the tab that made it, where tabs share the outbox
     */
    tab?: string | undefined;
    /**
     * counts what that tab made
     */
    n?: number | undefined;
};
/**
 * What an outbox held when it was opened.
 */
export type OutboxContents = {
    /**
     * the client's id
     */
    client: string;
    /**
     * the outcomes of all dispatches up to this one are known
     */
    settled: number;
    /**
     * those behind it, in order and without gaps
     */
    dispatches: StoredDispatch[];
    /**
     * how often the outbox was opened, this time included, and kept by
     * now: so the server knows a later program's connections from an earlier one's. Left out by a
     * storage that doesn't count
     */
    opening?: number | undefined;
    /**
     * whether an earlier program had it open; only asked for where
     * `opening` is left out. False if left out
     */
    wasOpened?: boolean | undefined;
};
/**
 * An outbox that this program alone has open.
 */
export type OpenOutbox = {
    contents: OutboxContents;
    /**
     * keeps a change; nothing that it
     * holds is sent before this has returned, or the promise is fulfilled. One call at a time
     */
    write: (change: OutboxChange) => void | Promise<void>;
    /**
     * lets others open it
     */
    close: () => void;
};
/**
 * Dispatches that are new, or take the place of those of their numbers, and what has ended.
 */
export type OutboxChange = {
    dispatches: StoredDispatch[];
    settled: number;
};
/**
 * Where dispatches are kept until they have an outcome.
 */
export type OutboxStorage = {
    /**
     * opens, for the
     * room at `url`, an outbox that nobody else has open; rejects if there is none
     */
    open: (url: string, newClient: () => string) => Promise<OpenOutbox>;
    /**
     * the one that all tabs of a browser share;
     * left out by storages that can't
     */
    shared?: ((url: string) => SharedOutbox) | undefined;
};
/**
 * An outbox that the tabs of a browser share, one of which has it open.
 */
export type SharedOutbox = {
    /**
     * the same in all of them
     */
    name: string;
    /**
     * opens it,
     * also when another tab has: that one can't write any more, and `lost` is called there when it
     * tries
     */
    open: (newClient: () => string, lost: () => void) => Promise<OpenOutbox>;
    /**
     * lets go of what it has for the next `open`, which nobody will call
     */
    close: () => void;
};
