/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/**
 * Connects to one room of a server, also in a node that has no WebSocket of its own, as before
 * version 22: then by the package `ws`, which is to be installed.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @param {string | URL} url  `ws:` or `wss:`
 * @param {import("./connection/Connection.js").ConnectionOptions} [options]
 * @returns {import("./connection/Connection.js").Connection<Room>}
 * @throws {TypeError} if the URL isn't one, or there is no WebSocket; the signal's reason, if it is
 *     aborted
 */
export function connect<Room extends import("./connection/Connection.js").RoomTypes = import("./connection/Connection.js").AnyRoom>(url: string | URL, options?: import("./connection/Connection.js").ConnectionOptions | undefined): import("./connection/Connection.js").Connection<Room>;
export { memoryCache } from "./cache/CacheStorage.js";
export { fileOutbox } from "./node/fileOutbox.js";
export { Rejection } from "./wire/Rejection.js";
export type AnyRoom = import("./connection/Connection.js").AnyRoom;
export type RoomTypes = import("./connection/Connection.js").RoomTypes;
export { applyEdit, editOf, moveCursor, offsetNow, sharedText, textVersion } from "./text/SharedText.js";
