import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "./Server.js";

const command = "/usr/bin/chromium";
const clients = new URL("../../../Clients/Web/", import.meta.url);

/** Why there can be no browser; undefined if there can. */
export const missing = existsSync(command) ? undefined : "needs chromium: apt-get install chromium";

/** Debian's Chromium without a screen, and pages that have the module as `storecast`. */
export class Browser {
  #process;
  #folder;
  #pages;
  #port;

  /** @param {string} [files]  a folder whose pages it may open, too, by their paths */
  static async start(files) {
    const browser = new Browser();
    browser.#folder = mkdtempSync(join(tmpdir(), "storecast-browser-"));
    browser.#pages = await servePages(files);
    const folder = `--user-data-dir=${browser.#folder}`;
    const quiet = ["--disable-gpu", "--no-first-run", "--remote-debugging-port=0", "--no-sandbox"];
    const options = ["--headless=new", ...quiet, folder, "about:blank"];
    browser.#process = spawn(command, options, { stdio: ["ignore", "ignore", "pipe"] });
    browser.#port = await new Promise((resolve, reject) => {
      let text = "";
      browser.#process.stderr.on("data", (data) => {
        text += data;
        const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
        if (port) resolve(port);
      });
      browser.#process.once("exit", () => reject(new Error(`Chromium ended: ${text}`)));
    });
    return browser;
  }

  /** A tab with the page that has the module, or with another one that does. */
  async open(address = `http://127.0.0.1:${this.#pages.address().port}/`) {
    const url = `http://127.0.0.1:${this.#port}/json/new?${address}`;
    const target = await (await fetch(url, { method: "PUT" })).json();
    const page = await Page.attach(target.webSocketDebuggerUrl);
    await page.isLoaded();
    return page;
  }

  /** A tab with a page of the folder's. */
  async openFile(path) {
    const file = `http://127.0.0.1:${this.#pages.address().port}/files/${path}`;
    const url = `http://127.0.0.1:${this.#port}/json/new?${encodeURIComponent(file)}`;
    const target = await (await fetch(url, { method: "PUT" })).json();
    const page = await Page.attach(target.webSocketDebuggerUrl);
    await page.run(`new Promise((resolve) =>
      document.readyState === "complete" ? resolve() : addEventListener("load", resolve))`);
    return page;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
    this.#pages.close();
    this.#pages.closeAllConnections?.();
    // Its processes may write a last time when it has ended.
    for (let attempt = 1; ; attempt++) {
      try {
        return rmSync(this.#folder, { recursive: true, force: true });
      } catch (error) {
        if (attempt === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

/** A tab, by the Chrome DevTools Protocol. */
class Page {
  #socket;
  #calls = new Map();
  #count = 0;

  static async attach(url) {
    const page = new Page();
    page.#socket = new WebSocket(url);
    page.#socket.onmessage = ({ data }) => {
      const { id, result, error } = JSON.parse(data);
      page.#calls.get(id)?.(error ? { exceptionDetails: error } : result);
    };
    await new Promise((resolve) => (page.#socket.onopen = resolve));
    return page;
  }

  #call(method, params = {}) {
    this.#count += 1;
    const id = this.#count;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#calls.set(id, resolve));
  }

  /** What an expression is in the page, when it is. */
  async run(expression) {
    const how = { awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails: thrown } = await this.#call("Runtime.evaluate", {
      expression,
      ...how,
    });
    if (thrown) throw new Error(thrown.exception?.description ?? JSON.stringify(thrown));
    return result.value;
  }

  async reload() {
    await this.run("delete globalThis.storecast");
    await this.#call("Page.reload");
    await this.isLoaded();
  }

  async isLoaded() {
    for (let tries = 0; ; tries += 1) {
      const isThere = await this.run("'storecast' in globalThis").catch(() => false);
      if (isThere) return;
      if (tries === 200) throw new Error("The page didn't load.");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /**
   * Whoever is of this page's origin may store so much in all.
   *
   * @param {number} [quotaSize]  in bytes; as the browser has it, if left out
   */
  async limitStorage(quotaSize) {
    const origin = await this.run("location.origin");
    await this.#call("Storage.overrideQuotaForOrigin", { origin, quotaSize });
  }

  /** Its process ends, as in a crash. */
  crash() {
    // Nobody is left to answer.
    void this.#call("Page.crash");
    this.#socket.close();
  }

  async close() {
    await this.#call("Page.close");
    this.#socket.close();
  }
}

/** The module, a page that loads it, and the files of a folder. */
function servePages(files) {
  const page = `<!doctype html><title>Test</title><script type="module">
    globalThis.storecast = await import("/storecast/index.js");
  </script>`;
  const pages = createServer((request, response) => {
    const [, file] = /^\/files\/([\w./]+)/.exec(request.url) ?? [];
    if (files && file) return sendFile(response, join(files, file));
    const isModule = /^\/storecast\/(\w+\/)?\w+\.js$/.test(request.url);
    response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
    response.end(isModule ? readFileSync(new URL(`.${request.url}`, clients)) : page);
  });
  return new Promise((resolve) => pages.listen(0, "127.0.0.1", () => resolve(pages)));
}

function sendFile(response, path) {
  if (!existsSync(path)) return response.writeHead(404).end();
  response.setHeader("content-type", path.endsWith(".js") ? "text/javascript" : "text/html");
  response.end(readFileSync(path));
}
