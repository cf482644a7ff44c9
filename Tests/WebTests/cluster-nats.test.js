import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { blocks } from "./support/Clone.js";
import { command, missing } from "./support/Server.js";

const nats = fileURLToPath(new URL("../../.build/python/bin/nats-server", import.meta.url));
const noNATS = !existsSync(nats) && "needs .build/python: see the README's test command";
const limit = { timeout: 120_000 };

/** The users and their permissions that Docs/Cluster.md has for NATS. */
const authorization = blocks("Docs/Cluster.md")
  .map(({ content }) => content)
  .find((content) => content.startsWith("authorization {"));

/** A folder with NATS and servers of a cluster, all of which end with the test. */
class Cluster {
  #folder = mkdtempSync(join(tmpdir(), "storecast-nats-"));
  #running = new Set();
  #violations = [];

  constructor(context) {
    for (const [, user, word] of authorization.matchAll(/user: (\w+)\n +password: "(.*)"/g)) {
      writeFileSync(this.file(`${user}.password`), `${word}\n`);
    }
    writeFileSync(this.file("key"), "0123456789abcdef".repeat(4), { mode: 0o600 });
    context.after(async () => {
      await this.end("SIGKILL");
      rmSync(this.#folder, { recursive: true });
    });
  }

  file(name) {
    return join(this.#folder, name);
  }

  /** Starts NATS with what is in a folder. */
  async startNATS(store) {
    const file = this.file("nats.conf");
    const port = this.port ?? -1;
    const place = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${this.file(store)}" }\n`;
    writeFileSync(file, place + authorization);
    const child = this.#spawn(nats, ["-c", file]);
    child.stderr.on("data", (data) => {
      for (const [line] of String(data).matchAll(/^.*Violation.*$/gm)) this.#violations.push(line);
    });
    const [, found] = await shows(child.stderr, /client connections on 127\.0\.0\.1:(\d+)/, child);
    this.port = Number(found);
  }

  /** Starts a server of the cluster; returns its URL. */
  async startServer() {
    const words = ["serve", "--port", "0", "--edge-key", this.file("key"), ...this.as("server")];
    const child = this.#spawn(command, words);
    const [, url] = await shows(child.stdout, /^listening on (\S+)$/m, child);
    return url;
  }

  /** Options that say where NATS is, and who asks. */
  as(user) {
    const address = `nats://127.0.0.1:${this.port}`;
    const proof = ["--nats-user", user, "--nats-token", this.file(`${user}.password`)];
    return ["--cluster", address, "--nats-replicas", "1", ...proof];
  }

  /** What NATS didn't let anybody do. */
  get violations() {
    return this.#violations.join("\n");
  }

  /** Ends everything that runs, the last first. */
  async end(signal = "SIGTERM") {
    for (const child of [...this.#running].reverse()) {
      child.kill(signal);
      await child.ended;
    }
  }

  #spawn(program, words) {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    // What nobody reads would stop it.
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    this.#running.add(child);
    child.ended = new Promise((resolve) => child.once("close", resolve));
    child.ended.then(() => this.#running.delete(child));
    return child;
  }
}

/** The match of what a program shows, when it shows it; fails if it ends before. */
function shows(stream, pattern, child) {
  return new Promise((resolve, reject) => {
    let shown = "";
    stream.on("data", (data) => {
      shown += data;
      const match = pattern.exec(shown);
      if (match) resolve(match);
    });
    child.ended.then(() => reject(new Error(`It ended: ${shown}`)));
  });
}

/** Runs the command: its exit status, and all that it says. */
function run(...words) {
  return new Promise((resolve) => {
    execFile(command, words, (error, out, problem) => {
      resolve({ status: error?.code ?? 0, text: out + problem });
    });
  });
}

async function succeed(...words) {
  const { status, text } = await run(...words);
  assert.equal(status, 0, `storecast ${words.join(" ")}: ${text}`);
  return text;
}

describe("a cluster at NATS as Docs/Cluster.md configures it", { skip: missing || noNATS }, () => {
  test("has all permissions that it needs, and others lack theirs", limit, async (t) => {
    const cluster = new Cluster(t);
    await cluster.startNATS("store");
    const urls = [await cluster.startServer(), await cluster.startServer()];
    for (const url of urls) await succeed("dispatch", url, "Say", '{"text":"Hello"}');
    const shown = await succeed("cluster", "status", ...cluster.as("operator"));
    const [, owner] = /^room \/ (\w+)$/m.exec(shown);
    const moved = await succeed("cluster", "move", "/", ...cluster.as("operator"));
    const [, other] = /^room \/ (\w+)$/m.exec(moved);
    assert.notEqual(other, owner);
    // A server's own code may do what operators may: `ClusterNode.move(_:to:)`.
    await succeed("cluster", "move", "/", "--to", owner, ...cluster.as("server"));
    await succeed("cluster", "drain", owner, ...cluster.as("operator"));
    for (const url of urls) await succeed("dispatch", url, "Say", '{"text":"Hello"}');
    const copy = cluster.file("copy.sqlite");
    await succeed("cluster", "export", copy, ...cluster.as("backup"));
    assert.equal(cluster.violations, "");

    const [reader, blind] = await Promise.all([
      run("cluster", "export", cluster.file("none.sqlite"), ...cluster.as("operator")),
      run("cluster", "status", ...cluster.as("backup")),
    ]);
    assert.equal(reader.status, 2, reader.text);
    assert.match(cluster.violations, /Publish Violation.*STREAM\.MSG\.GET/);
    assert.equal(blind.status, 2, blind.text);
    assert.match(cluster.violations, /Subscription Violation.*pulses/);
  });

  test("gets its rooms back from an export, when NATS has lost them", limit, async (t) => {
    const cluster = new Cluster(t);
    await cluster.startNATS("store");
    const copy = cluster.file("copy.sqlite");
    const url = await cluster.startServer();
    await succeed("dispatch", url, "Say", '{"text":"before"}');
    await succeed("cluster", "export", copy, ...cluster.as("backup"));
    await succeed("dispatch", url, "Say", '{"text":"after"}');
    await cluster.end();

    await succeed("journal", "rooms", copy);
    await succeed("journal", "verify", copy);
    await cluster.startNATS("empty");
    await succeed("cluster", "import", copy, ...cluster.as("server"));
    await succeed("dispatch", await cluster.startServer(), "Say", '{"text":"again"}');
    const now = cluster.file("now.sqlite");
    await succeed("cluster", "export", now, ...cluster.as("backup"));
    const log = await succeed("journal", "log", now, "--json");
    const texts = [...log.matchAll(/"text":"(\w+)"/g)].map(([, text]) => text);
    assert.deepEqual(texts, ["before", "again"]);
    assert.equal(cluster.violations, "");
  });
});
