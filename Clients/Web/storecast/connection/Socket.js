import { subprotocol } from "../wire/ClientFrame.js";

/**
 * What becomes of a socket; nothing more after `closed`.
 *
 * @typedef {object} SocketEvents
 * @property {() => void} opened
 * @property {(text: string) => void} received
 * @property {(code: number, reason: string) => void} closed
 */

/**
 * As much of a `WebSocket` as is used.
 *
 * @typedef {object} WebSocketLike
 * @property {string} protocol
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onclose
 * @property {((event: any) => void) | null} onerror
 * @property {(text: string) => void} send
 * @property {(code?: number, reason?: string) => void} close
 */

/** @typedef {new (url: string, protocols: string) => WebSocketLike} WebSocketClass */

/** One WebSocket that speaks the protocol's texts. */
export class Socket {
  /** @type {WebSocketLike} */
  #socket;
  /** @type {SocketEvents | undefined} */
  #events;

  /**
   * @param {WebSocketClass} WebSocket
   * @param {string} url
   * @param {SocketEvents} events
   * @throws whatever `WebSocket` throws, of a URL that the page may not use for example
   */
  constructor(WebSocket, url, events) {
    this.#events = events;
    this.#socket = new WebSocket(url, subprotocol);
    this.#socket.onopen = () => {
      if (this.#socket.protocol === subprotocol) this.#events?.opened();
      else this.#end(1002, `The server doesn't speak ${subprotocol}.`);
    };
    this.#socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#events?.received(data);
      else this.#end(1003, "The server sent a binary message.");
    };
    this.#socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    // Says nothing that `onclose` doesn't; unheard, it is an uncaught error in some programs.
    this.#socket.onerror = () => {};
  }

  /** @param {string} text */
  send(text) {
    this.#socket.send(text);
  }

  /** Ends it without a word to its events. */
  close() {
    this.#events = undefined;
    this.#socket.close(1000, "");
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #end(code, reason) {
    this.#closed(code, reason);
    this.#socket.close(1000, "");
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    const events = this.#events;
    this.#events = undefined;
    events?.closed(code, reason);
  }
}
