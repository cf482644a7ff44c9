/** Keeps an outbox's storage up to date. */
export class OutboxWriter {
    /**
     * @param {import("../session/Outbox.js").Outbox} outbox
     * @param {import("./Platform.js").Platform} platform
     * @param {(problem: Rejection | undefined) => void} wrote  called when something was written that
     *     may be sent now, or could not be, for a reason
     */
    constructor(outbox: import("../session/Outbox.js").Outbox, platform: import("./Platform.js").Platform, wrote: (problem: Rejection | undefined) => void);
    /**
     * Writes what was dispatched before it was open, too: there may be no server for long.
     *
     * @param {import("../outbox/OutboxStorage.js").OpenOutbox} storage
     */
    open(storage: import("../outbox/OutboxStorage.js").OpenOutbox): void;
    close(): void;
    /** Writes no dispatches: only finds out whether another tab has opened the storage since. */
    check(): void;
    /** Writes what isn't written yet; when this returns it is, if the storage can do that. */
    write(): void;
    #private;
}
import { Rejection } from "../wire/Rejection.js";
