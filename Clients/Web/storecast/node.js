import { webcrypto } from "node:crypto";
import { createRequire } from "node:module";
import { connect as connectAnywhere } from "./connection/connect.js";

export { memoryCache } from "./cache/CacheStorage.js";
export { fileOutbox } from "./node/fileOutbox.js";
export {
  applyEdit,
  editOf,
  moveCursor,
  offsetNow,
  sharedText,
  textVersion,
} from "./text/SharedText.js";
export { Rejection } from "./wire/Rejection.js";

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
export function connect(url, options = {}) {
  const WebSocket = options.WebSocket ?? globalThis.WebSocket ?? installed();
  const platform = { newClient, ...options.platform };
  return connectAnywhere(url, { ...options, WebSocket, platform });
}

/** The class of the package `ws`, where it is installed for this package or for the program. */
function installed() {
  for (const place of [import.meta.url, `file://${process.cwd()}/`]) {
    try {
      return createRequire(place)("ws");
    } catch (error) {
      if (Object(error).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new TypeError("This node has no WebSocket: install the package 'ws', or node 22.");
}

/** Node 18 hides its `crypto` from modules. */
function newClient() {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
