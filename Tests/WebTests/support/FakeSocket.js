/** A class like `WebSocket`, whose instances do what a test says, and a list of them. */
export function fakeWebSocket() {
  const sockets = [];
  class FakeSocket {
    protocol = "storecast.v1";
    /** Messages that were sent and not taken yet. */
    sent = [];
    isClosed = false;

    constructor(url, protocols) {
      Object.assign(this, { url, protocols });
      sockets.push(this);
    }

    send(text) {
      this.sent.push(text);
    }

    close(code) {
      this.isClosed = true;
      this.closeCode = code;
    }
  }
  return { WebSocket: FakeSocket, sockets };
}
