/** In place of Tests/WebTests/support/Server.js: its tests are those of the real board, here. */
export const missing = "a page runs no programs";
export const WebSocket = globalThis.WebSocket;
export const [Server, until] = [undefined, undefined];
