import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const script = new URL("../../../Clients/Web/worker/serviceWorker.js", import.meta.url);
const source = readFileSync(script, "utf8");

/** One of an origin's caches; one that was deleted goes on for those who have it open. */
class FakeCache {
  responses = new Map();

  async put(path, response) {
    this.responses.set(path, response);
  }

  async match({ path }) {
    return this.responses.get(path)?.clone();
  }

  async keys() {
    return [...this.responses.keys()].map((path) => ({ url: `https://test${path}`, path }));
  }

  async delete({ path }) {
    return this.responses.delete(path);
  }
}

/** An origin with its server, and what a browser has of it: caches, pages, service workers. */
export class WorkerOrigin {
  /** What the server has at each path; undefined if it can't be reached. */
  files = { "/": "page 1", "/main.js": "script 1" };
  caches = new Map();
  /** The pages that are open. */
  clients = new Map();
  now = 1_000_000;
  /** Returns when the server may answer. */
  turn = async () => {};
  registration = { scope: "https://test/", installing: null, waiting: null };

  /** The worker of what the server has now, which a browser starts anew when it likes to. */
  start(files = this.files) {
    const pages = Object.entries(files).map(([path, text]) => {
      return { path, hash: createHash("sha256").update(text).digest("hex") };
    });
    const listeners = {};
    const self = {
      pages,
      registration: this.registration,
      addEventListener: (name, listener) => (listeners[name] = listener),
      skipWaiting: async () => {},
      clients: {
        claim: async () => {},
        matchAll: async () => [...this.clients.values()],
        get: async (id) => this.clients.get(id),
      },
    };
    const caches = {
      open: async (name) => {
        if (!this.caches.has(name)) this.caches.set(name, new FakeCache());
        return this.caches.get(name);
      },
      has: async (name) => this.caches.has(name),
      keys: async () => [...this.caches.keys()],
      delete: async (name) => this.caches.delete(name),
      match: async (path, { cacheName }) =>
        this.caches.get(cacheName)?.responses.get(path)?.clone(),
    };
    const fetch = async (request) => {
      await this.turn();
      if (!this.files) throw new TypeError("There is no server.");
      return new Response(this.files[new URL(request.url ?? request, "https://test").pathname]);
    };
    const date = { now: () => this.now };
    const location = { origin: "https://test" };
    const names = ["self", "caches", "fetch", "location", "Date"];
    new Function(...names, source)(self, caches, fetch, location, date);
    return new FakeWorker(this, listeners);
  }
}

class FakeWorker {
  #origin;
  #listeners;

  constructor(origin, listeners) {
    this.#origin = origin;
    this.#listeners = listeners;
  }

  /** The browser has fetched it, and it has what it needs. */
  async install() {
    const { registration } = this.#origin;
    registration.installing = this;
    try {
      await this.#extended("install");
      registration.waiting = this;
    } finally {
      registration.installing = null;
    }
  }

  async activate() {
    this.#origin.registration.waiting = null;
    await this.#extended("activate");
  }

  async #extended(name) {
    let work;
    this.#listeners[name]({ waitUntil: (promise) => (work = promise) });
    await work;
  }

  /** What a page that is opened as `id` is given. */
  async open(path, id) {
    const event = { resultingClientId: id };
    return this.#answer(event, { path, mode: "navigate", destination: "document" });
  }

  /** What the page `id` is given that loads a script. */
  async load(path, id) {
    return this.#answer({ clientId: id }, { path, mode: "cors", destination: "script" });
  }

  async #answer(event, { path, mode, destination }) {
    const request = { method: "GET", mode, destination, url: `https://test${path}` };
    let answer;
    this.#listeners.fetch({ ...event, request, respondWith: (promise) => (answer = promise) });
    return (await answer).text();
  }
}
