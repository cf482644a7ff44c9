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
export function connect<Room extends import("./Connection.js").RoomTypes = import("./Connection.js").AnyRoom>(url: string | URL, options?: import("./Connection.js").ConnectionOptions | undefined): Connection<Room>;
import { Connection } from "./Connection.js";
