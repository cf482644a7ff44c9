/** What the client's tests take from Node.js without an import. */

const { port1, port2 } = new MessageChannel();
const immediate = [];
port1.onmessage = () => immediate.shift()();

/** Work in a task of its own, behind all promises that are settled. */
globalThis.setImmediate = (work) => {
  immediate.push(work);
  port2.postMessage(undefined);
};

const listeners = new Set();
addEventListener("unhandledrejection", ({ reason }) => {
  for (const listener of listeners) listener(reason);
});

globalThis.process = {
  env: {},

  on(name, listener) {
    if (name !== "unhandledRejection") throw new Error(`There is no ${name} in a page.`);
    listeners.add(listener);
  },

  off: (_, listener) => void listeners.delete(listener),
};

globalThis.Buffer = class Buffer extends Uint8Array {
  static from(value) {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return new Buffer(bytes);
  }

  static byteLength(text) {
    return new TextEncoder().encode(text).length;
  }

  static compare(one, other) {
    const place = one.findIndex((byte, place) => byte !== other[place]);
    const [byte, its] = place < 0 ? [one.length, other.length] : [one[place], other[place] ?? -1];
    return Math.sign(byte - its);
  }

  toString(encoding) {
    if (encoding !== "hex") throw new Error(`'${encoding}' is none of these tests'.`);
    return [...this].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
};
