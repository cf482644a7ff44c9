import { connect } from "../../../Clients/Web/storecast/index.js";
import { fakeWebSocket } from "./FakeSocket.js";
import { ManualPlatform, settle } from "./ManualPlatform.js";

export const epoch = "c0ffee5b1d0a4f7e9b3c2a1d5e6f7081";
const limits = { message: 1 << 20, window: 1024, subscriptions: 256, depth: 64 };

/** A connection, and the server at its other end as a test plays it. */
export class TestPeer {
  troubles = [];
  rejections = [];

  constructor({ platform = new ManualPlatform(), ...options } = {}) {
    const { WebSocket, sockets } = fakeWebSocket();
    this.platform = platform;
    this.sockets = sockets;
    this.connection = connect("ws://test/", {
      WebSocket,
      platform,
      notify: "microtask",
      onTrouble: (message) => this.troubles.push(message),
      onRejected: (rejection, action) => this.rejections.push([rejection.code, action.type]),
      ...options,
    });
  }

  /** The newest socket. */
  get socket() {
    return this.sockets.at(-1);
  }

  /** The socket opens; the frames that the client says first. */
  async open() {
    await settle();
    this.socket.onopen({});
    return this.heard();
  }

  /** The socket opens, and the server says welcome; what the client says before and behind it. */
  async welcome(members = {}) {
    const before = await this.open();
    return [...before, ...(await this.say(welcome(members)))];
  }

  /** The server says these frames; what the client answers. */
  async say(...frames) {
    for (const frame of frames) this.socket.onmessage({ data: JSON.stringify(frame) });
    return this.heard();
  }

  /** The frames that the client has sent since it was last asked. */
  async heard() {
    await settle();
    return this.socket.sent.splice(0).flatMap((text) => JSON.parse(text));
  }

  /** The socket ends. */
  async end(code = 1006, reason = "") {
    this.socket.onclose({ code, reason });
    await settle();
  }

  /** The socket ends, and the client has made another when this returns. */
  async cut(code = 1006) {
    const { length } = this.sockets;
    await this.end(code);
    const { retryAt } = this.connection.status;
    await this.platform.advance(retryAt - this.platform.time());
    if (this.sockets.length === length) throw new Error("The client did not come back.");
  }
}

export function welcome(members) {
  const server = { op: "welcome", proto: 1, epoch, v: 0, lastSeq: 0, heartbeat: 30 };
  return { ...server, limits, server: "test/1", ...members };
}

/** What has become of a promise by now. */
export async function stateOf(promise) {
  const pending = Symbol();
  return Promise.race([promise, Promise.resolve(pending)]).then(
    (value) => (value === pending ? "pending" : value),
    (error) => error.code ?? String(error),
  );
}
