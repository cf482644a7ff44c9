/**
 * A dispatch as it is kept.
 *
 * @typedef {object} StoredDispatch
 * @property {number} seq
 * @property {number} base
 * @property {string} epoch  that of `base`
 * @property {string} action  JSON text
 * @property {string} [tab]  the tab that made it, where tabs share the outbox
 * @property {number} [n]  counts what that tab made
 */

/**
 * What an outbox held when it was opened.
 *
 * @typedef {object} OutboxContents
 * @property {string} client  the client's id
 * @property {number} settled  the outcomes of all dispatches up to this one are known
 * @property {StoredDispatch[]} dispatches  those behind it, in order and without gaps
 * @property {number} [opening]  how often the outbox was opened, this time included, and kept by
 *     now: so the server knows a later program's connections from an earlier one's. Left out by a
 *     storage that doesn't count
 * @property {boolean} [wasOpened]  whether an earlier program had it open; only asked for where
 *     `opening` is left out. False if left out
 */

/**
 * An outbox that this program alone has open.
 *
 * @typedef {object} OpenOutbox
 * @property {OutboxContents} contents
 * @property {(change: OutboxChange) => void | Promise<void>} write  keeps a change; nothing that it
 *     holds is sent before this has returned, or the promise is fulfilled. One call at a time
 * @property {() => void} close  lets others open it
 */

/**
 * Dispatches that are new, or take the place of those of their numbers, and what has ended.
 *
 * @typedef {object} OutboxChange
 * @property {StoredDispatch[]} dispatches
 * @property {number} settled
 */

/**
 * Where dispatches are kept until they have an outcome.
 *
 * @typedef {object} OutboxStorage
 * @property {(url: string, newClient: () => string) => Promise<OpenOutbox>} open  opens, for the
 *     room at `url`, an outbox that nobody else has open; rejects if there is none
 * @property {(url: string) => SharedOutbox} [shared]  the one that all tabs of a browser share;
 *     left out by storages that can't
 */

/**
 * An outbox that the tabs of a browser share, one of which has it open.
 *
 * @typedef {object} SharedOutbox
 * @property {string} name  the same in all of them
 * @property {(newClient: () => string, lost: () => void) => Promise<OpenOutbox>} open  opens it,
 *     also when another tab has: that one can't write any more, and `lost` is called there when it
 *     tries
 * @property {() => void} close  lets go of what it has for the next `open`, which nobody will call
 */

export {};
