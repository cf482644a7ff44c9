/**
 * Keeps dispatches in a file, on the disk before they are sent. One program at a time has it open.
 *
 * The file is a log: a line for each change, behind its checksum. Of what a crash has left, the
 * last line may be a part: nothing of it was sent, as that waits for the disk. Only its owner can
 * read it.
 *
 * @param {string} path  its folder is made if there is none
 * @returns {OutboxStorage}
 */
export function fileOutbox(path: string): OutboxStorage;
export type OutboxChange = import("../outbox/OutboxStorage.js").OutboxChange;
export type OutboxStorage = import("../outbox/OutboxStorage.js").OutboxStorage;
export type StoredDispatch = import("../outbox/OutboxStorage.js").StoredDispatch;
export type Head = {
    client: string;
    opening: number;
    url: string;
};
