import { onAbort } from "./abort.js";
import { Connection } from "./Connection.js";

/**
 * Connects to one room of a server.
 *
 * ```js
 * const connection = connect("wss://example.org/rooms/lobby");
 * const votes = connection.select("value", { path: "/votes" });
 * votes.subscribe(() => console.log(votes.getState()));
 * await votes.dispatch({ type: "increment", payload: { path: "/votes/tea", by: 1 } });
 * ```
 *
 * @template {import("./Connection.js").RoomTypes} [Room=import("./Connection.js").AnyRoom]
 * @param {string | URL} url  `ws:`, `wss:`, or as the page's own: `connect("/rooms/lobby")`
 * @param {import("./Connection.js").ConnectionOptions} [options]  unknown ones are reported
 *     to `onTrouble`
 * @returns {Connection<Room>}
 * @throws {TypeError} if the URL isn't one, or there is no `WebSocket`; the signal's reason, if it
 *     is aborted
 */
export function connect(url, options = {}) {
  const { WebSocket = globalThis.WebSocket, signal, ...others } = options;
  if (!WebSocket) throw new TypeError("There is no WebSocket here: give one as an option.");
  signal?.throwIfAborted();
  /** @type {Connection<Room>} */
  const connection = new Connection(socketURL(url), { ...others, WebSocket });
  const forget = onAbort(signal, () => connection.close());
  connection.on("status", ({ state }) => state === "closed" && forget());
  return connection;
}

/** @param {string | URL} url */
function socketURL(url) {
  try {
    // What begins as a host and a port do is no path that somebody means.
    const base = /^[\w.-]+:\d/.test(`${url}`) ? undefined : globalThis.location?.href;
    const absolute = new URL(url, base);
    absolute.protocol = absolute.protocol.replace(/^http/, "ws");
    absolute.hash = "";
    if (/^wss?:$/.test(absolute.protocol)) return absolute.href;
  } catch {
    // As it is no URL at all.
  }
  throw new TypeError(`'${url}' is no URL that begins with ws:// or wss://.`);
}
