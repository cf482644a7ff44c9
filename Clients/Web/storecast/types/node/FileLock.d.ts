/**
 * Takes what a file beside `path` stands for, for this program alone, until it ends or gives it
 * back. Node can't lock files as the system does; so a lock says whose it is, and one of a program
 * that has ended is taken away.
 *
 * @param {string} path
 * @returns {() => void} gives it back
 * @throws {Rejection} `outbox-locked`, if another program has it
 */
export function lockFile(path: string): () => void;
