import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { ModelServer } from "./ModelServer.js";
import { missing as noServer } from "./Server.js";

const clients = new URL("../../../Clients/Web/", import.meta.url);
const types = { html: "text/html", js: "text/javascript" };
const module = "/usr/share/nodejs/ws/index.js";

/** What a server says of its pages. */
const usualPolicy = "default-src 'self'; base-uri 'none'; require-trusted-types-for 'script'";

/** A page that shows the texts of a room, and offers to reload. */
const html = (version) => `<!doctype html><title>${version}</title>
  <script type="module" src="/main.js"></script>`;
const main = (version) => `
  import * as storecast from "/storecast/index.js";
  import { dropPages, keepPages } from "/worker/keepPages.js";
  const { indexedDBCache, indexedDBOutbox } = storecast;
  const connection = storecast.connect("/", {
    tabs: true,
    outbox: indexedDBOutbox("texts"),
    cache: { storage: indexedDBCache(), viewer: "" },
  });
  const optimistic = (list, { payload }) => [...list, payload];
  const all = connection.select("all", undefined, { optimistic });
  const page = { connection, all, version: "${version}", isOld: false, dropPages };
  page.late = () => import("/late.js");
  page.kept = keepPages({ newVersion: () => { page.isOld = true; page.told?.(); } });
  // Pages that vouch for their scripts have to, for others' workers too.
  const { trustedTypes } = globalThis;
  const vouch = trustedTypes?.createPolicy("test", { createScriptURL: (url) => url });
  page.register = async (url, options) => {
    const script = vouch ? vouch.createScriptURL(url) : url;
    const { installing } = await navigator.serviceWorker.register(script, options);
    // While it is being installed, another one that is there is found in its place.
    await new Promise((resolve) => {
      const look = () => installing.state === "activated" && resolve();
      installing.onstatechange = look;
      look();
    });
  };
  page.add = (text) => connection.dispatch({ type: "add", payload: text });
  page.until = (isSo) => new Promise((resolve, reject) => {
    const check = () => isSo() && resolve(true);
    setTimeout(() => reject(new Error("It did not come to be: " + isSo + JSON.stringify([
      all.getState(), connection.status, connection.pendingCount]))), 15000);
    connection.subscribe(check);
    all.subscribe(check);
    page.told = check;
    check();
  });
  globalThis.page = page;
  globalThis.storecast = storecast;`;

const digest = (text) => createHash("sha256").update(text).digest("hex");

/** Without chance: a model server that does everything at once. */
const calm = { next: () => 0.99, below: (end) => end - 1, chance: () => false };

export const missing = noServer && readable() ? undefined : !readable() && "needs node-ws";

function readable() {
  try {
    return readFileSync(module).length > 0;
  } catch {
    return false;
  }
}

/** A server of one room and a page with a service worker, as Docs/Web.md says that it is. */
export class PageServer {
  room = new ModelServer(calm);
  /** What the page says that it is. */
  version = "first";
  policy = usualPolicy;
  hasWorker = true;
  /** A page that is there at every path that has no other, as where one page does it all. */
  fallback;
  /** Another text in the place of the worker's. */
  replaced;
  #port = 0;
  #http;

  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  get #files() {
    const { version } = this;
    const made = { "/": html(version), "/main.js": main(version) };
    return { ...made, "/late.js": `export const version = "${version}";` };
  }

  async start() {
    const { WebSocketServer } = createRequire(import.meta.url)(module);
    this.#http = createServer((request, response) => this.#answer(request, response));
    const sockets = new WebSocketServer({
      server: this.#http,
      handleProtocols: () => "storecast.v1",
    });
    sockets.on("connection", (socket) => {
      const connection = this.room.connect();
      socket.on("message", (data) => {
        connection.receive(String(data));
        for (const one of this.room.connections) one.turn();
        for (const [other, its] of this.#sockets) this.#send(other, its);
      });
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.room.connections.delete(connection);
      });
      this.#sockets.set(socket, connection);
    });
    await new Promise((resolve) => this.#http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = this.#http.address().port;
  }

  #sockets = new Map();

  #send(socket, connection) {
    for (const text of connection.outgoing.splice(0)) socket.send(text);
    if (!this.room.connections.has(connection)) socket.close();
  }

  async stop() {
    for (const socket of this.#sockets.keys()) socket.terminate();
    const ended = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeAllConnections?.();
    await ended;
  }

  #answer({ url }, response) {
    const path = new URL(url, this.url).pathname;
    const text = path === "/service-worker.js" ? this.#worker() : this.#read(path);
    const type = types[path === "/" ? "html" : path.split(".").at(-1)] ?? "text/plain";
    response.setHeader("content-security-policy", this.policy);
    if (text === undefined && this.fallback) {
      response.setHeader("content-type", types.html);
      return response.end(this.fallback);
    }
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type });
    response.end(text);
  }

  #read(path) {
    if (this.#files[path]) return this.#files[path];
    const isModule = /^\/(storecast|worker)\/(\w+\/)?\w+\.js$/.test(path);
    return isModule ? readFileSync(new URL(`.${path}`, clients), "utf8") : undefined;
  }

  #worker() {
    if (!this.hasWorker) return undefined;
    if (this.replaced) return this.replaced;
    const paths = [...Object.keys(this.#files), ...this.#modules("/storecast/index.js")];
    const list = [...new Set([...paths, "/worker/keepPages.js"])].map((path) => {
      const hash = digest(this.#read(path));
      const isPage = path === "/";
      return { path, hash, ...(isPage ? { policy: digest(this.policy), under: ["/b/"] } : {}) };
    });
    return `self.pages = ${JSON.stringify(list)};\n${this.#read("/worker/serviceWorker.js")}`;
  }

  /** A module and all that it imports. */
  #modules(path, found = new Set()) {
    if (found.has(path)) return found;
    found.add(path);
    for (const [, name] of this.#read(path).matchAll(/^(?:import|export|\}).* from "(.*)";$/gm)) {
      this.#modules(new URL(name, `http://x${path}`).pathname, found);
    }
    return found;
  }
}
