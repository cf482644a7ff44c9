import { execFileSync, spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The command, as `swift build` makes it. */
export const command = fileURLToPath(new URL("../../../.build/debug/storecast", import.meta.url));

// Debian 12's node has it, and hides it.
globalThis.crypto ??= webcrypto;

/** A WebSocket class: the program's own, or that of Debian's node-ws. */
export const WebSocket = globalThis.WebSocket ?? required("/usr/share/nodejs/ws/index.js");

/** Why there can be no server; undefined if there can. */
export const missing = !existsSync(command)
  ? "needs .build/debug/storecast: swift build"
  : !WebSocket && "needs a WebSocket: apt-get install node-ws";

function required(path) {
  return existsSync(path) ? createRequire(import.meta.url)(path) : undefined;
}

/** `storecast serve`, with a document or the example board. */
export class Server {
  #process;
  #folder;

  /** @param {{ isEncrypted?: boolean }} [how]  then `root` is the certificate to be trusted */
  static async start({ document, port = 0, isEncrypted, arguments: more = [] } = {}) {
    const server = new Server();
    server.#folder = mkdtempSync(join(tmpdir(), "storecast-"));
    const options = ["serve", "--memory", "--log-level", "error", "--port", String(port)];
    options.push(...more, ...(isEncrypted ? server.#encryption() : []));
    if (document !== undefined) {
      const file = join(server.#folder, "document.json");
      writeFileSync(file, JSON.stringify(document));
      options.push("--json", file);
    }
    server.#process = spawn(command, options, { stdio: ["ignore", "pipe", "inherit"] });
    // A test that fails before it stops the server doesn't wait for it for ever.
    process.once("exit", () => server.#process.kill());
    const line = await new Promise((resolve, reject) => {
      server.#process.stdout.once("data", (data) => resolve(String(data).split("\n")[0]));
      server.#process.once("exit", () => reject(new Error("The server ended.")));
    });
    server.#process.unref();
    server.#process.stdout.unref();
    server.url = line.replace("listening on ", "");
    server.port = Number(new URL(server.url).port);
    return server;
  }

  /** The options for a certificate of this machine's own. */
  #encryption() {
    const [key, certificate] = ["key", "certificate"].map((name) => join(this.#folder, name));
    const wanted =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch -days 2 " +
      "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
    const files = ["-keyout", key, "-out", certificate];
    execFileSync("openssl", [...wanted.split(" "), ...files], { stdio: "ignore" });
    this.root = readFileSync(certificate);
    return ["--tls-certificate", certificate, "--tls-key", key];
  }

  async stop(signal = "SIGTERM") {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.ref();
    this.#process.kill(signal);
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

/** A line to a server that can be cut. */
export class Line {
  #near = new Set();
  #listener;
  #port;

  static async to(port) {
    const line = new Line();
    line.#listener = createServer((near) => line.#join(near, port));
    await line.start();
    line.url = `ws://127.0.0.1:${line.#port}/`;
    return line;
  }

  async start() {
    const listening = new Promise((resolve) => this.#listener.once("listening", resolve));
    this.#listener.listen(this.#port ?? 0, "127.0.0.1");
    await listening;
    this.#port = this.#listener.address().port;
  }

  #join(near, port) {
    const far = connect(port, "127.0.0.1");
    this.#near.add(near);
    near.on("close", () => this.#near.delete(near));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  }

  cut() {
    for (const near of this.#near) near.destroy();
  }

  /** Nobody gets through until it is started again. */
  stop() {
    this.cut();
    this.#listener.close();
  }
}

/** Returns when `isSo` holds, of which `store` tells; throws after ten seconds. */
export function until(store, isSo) {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!isSo()) return;
      clearTimeout(timer);
      end();
      resolve();
    };
    const timer = setTimeout(() => reject(new Error("It did not come to be.")), 10_000);
    const end = store.subscribe(check);
    check();
  });
}
