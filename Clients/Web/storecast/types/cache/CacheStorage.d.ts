/**
 * Where a cache is kept: keys, and for each what was set last. A browser's `indexedDBCache()`, or
 * any other that stores strings (or what `seal` makes of them).
 *
 * @typedef {object} CacheStorage
 * @property {(key: string) => Promise<unknown>} get  what is kept; undefined for nothing
 * @property {(key: string, value: any) => Promise<void>} set  keeps a value in the place of the one
 *     before, all of it or nothing
 * @property {(key: string) => Promise<void>} delete
 */
/**
 * How a connection keeps the states of its stores for the next time that the program is started.
 *
 * @typedef {object} CacheOptions
 * @property {CacheStorage} storage
 * @property {string} viewer  tells the person who is logged in from all others who may use the
 *     device, as their id does: nobody is shown what another one has seen. `""` where nobody logs
 *     in
 * @property {(text: string) => any} [seal]  encrypts what is written; may return a promise. What it
 *     returns is given to the storage
 * @property {(sealed: any) => string | Promise<string>} [open]  makes of that what it was; what it
 *     throws at is as if it weren't there
 * @property {number} [characters]  how many there may be in all; 4 million if left out. Of what is
 *     more, the selections go first that weren't followed for the longest time
 * @property {number} [selectionCharacters]  how many the JSON text of one state may have; a million
 *     if left out. A larger one isn't kept
 * @property {number} [interval]  how many milliseconds changes wait to be written together; 10,000
 *     if left out. The first time, when nothing was kept, it is at most 1,000. Hiding the page and
 *     `close()` write at once
 */
/**
 * A cache's storage in memory, for tests: it ends with the program.
 *
 * @returns {CacheStorage & { values: Map<string, unknown> }}
 */
export function memoryCache(): CacheStorage & {
    values: Map<string, unknown>;
};
/**
 * Where a cache is kept: keys, and for each what was set last. A browser's `indexedDBCache()`, or
 * any other that stores strings (or what `seal` makes of them).
 */
export type CacheStorage = {
    /**
     * what is kept; undefined for nothing
     */
    get: (key: string) => Promise<unknown>;
    /**
     * keeps a value in the place of the one
     * before, all of it or nothing
     */
    set: (key: string, value: any) => Promise<void>;
    delete: (key: string) => Promise<void>;
};
/**
 * How a connection keeps the states of its stores for the next time that the program is started.
 */
export type CacheOptions = {
    storage: CacheStorage;
    /**
     * tells the person who is logged in from all others who may use the
     * device, as their id does: nobody is shown what another one has seen. `""` where nobody logs
     * in
     */
    viewer: string;
    /**
     * encrypts what is written; may return a promise. What it
     * returns is given to the storage
     */
    seal?: ((text: string) => any) | undefined;
    /**
     * makes of that what it was; what it
     * throws at is as if it weren't there
     */
    open?: ((sealed: any) => string | Promise<string>) | undefined;
    /**
     * how many there may be in all; 4 million if left out. Of what is
     * more, the selections go first that weren't followed for the longest time
     */
    characters?: number | undefined;
    /**
     * how many the JSON text of one state may have; a million
     * if left out. A larger one isn't kept
     */
    selectionCharacters?: number | undefined;
    /**
     * how many milliseconds changes wait to be written together; 10,000
     * if left out. The first time, when nothing was kept, it is at most 1,000. Hiding the page and
     * `close()` write at once
     */
    interval?: number | undefined;
};
