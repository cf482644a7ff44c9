import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { connect } from "../../Clients/Web/storecast/index.js";
import { command, missing, WebSocket } from "./support/Server.js";

const script = fileURLToPath(new URL("../../Docs/Cluster/start", import.meta.url));
const nats = fileURLToPath(new URL("../../.build/python/bin/nats-server", import.meta.url));
const noNATS = !existsSync(nats) && "needs .build/python: see the README's test command";

/** What a cluster's ports are more than the one that they are counted from. */
const offsets = [1, 2, 3, 11, 12, 13, 21, 22, 23];

/** `Docs/Cluster/start`, as a terminal starts it: in a group of its own. */
class Cluster {
  shown = "";
  problems = "";
  #child;
  #exit;
  #end;

  /** For a test, after which it has ended however that went. */
  static async start(context, environment = {}, ...options) {
    const cluster = new Cluster();
    cluster.base = await freeBase();
    cluster.#child = spawn(script, ["--port", cluster.base, ...options], {
      env: { ...process.env, NATS_SERVER: nats, STORECAST: command, ...environment },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    cluster.#child.stdout.on("data", (data) => (cluster.shown += data));
    cluster.#child.stderr.on("data", (data) => (cluster.problems += data));
    cluster.#exit = new Promise((resolve) => cluster.#child.once("exit", resolve));
    cluster.#end = new Promise((resolve) => cluster.#child.once("close", resolve));
    context.after(() => cluster.terminate());
    return cluster;
  }

  /** Returns when it has shown this; fails if it ends before. */
  shows(pattern) {
    return new Promise((resolve, reject) => {
      const check = () => pattern.test(this.shown) && resolve();
      this.#child.stdout.on("data", check);
      check();
      this.end().then(() => reject(new Error(`It ended: ${this.shown}${this.problems}`)));
    });
  }

  /** Its status, when it has ended. */
  end() {
    return this.#end;
  }

  /** Ctrl+C: the terminal tells the whole group. */
  interrupt() {
    process.kill(-this.#child.pid, "SIGINT");
    return this.end();
  }

  /** Kills the script alone, so that what it has started goes on. */
  kill() {
    this.#child.kill("SIGKILL");
    return this.#exit;
  }

  terminate() {
    this.#child.kill("SIGTERM");
    return this.end();
  }
}

async function freeBase() {
  for (;;) {
    const server = await listen(0);
    const base = server.address().port;
    const others = base < 65_000 ? offsets.map((more) => listen(base + more)) : [];
    const found = await Promise.allSettled(others);
    for (const { value } of [{ value: server }, ...found]) value?.close();
    if (found.length > 0 && found.every(({ value }) => value)) return base;
  }
}

function listen(port) {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** Whether a process runs; one that has ended may still be listed, if nobody has asked how. */
function isThere(id) {
  try {
    return !readFileSync(`/proc/${id}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

describe("Docs/Cluster/start", { skip: missing || noNATS }, () => {
  const rooms = (addresses) => {
    const words = ["cluster", "status", "--cluster", addresses];
    return execFileSync(command, words, { encoding: "utf8" });
  };

  const limit = { timeout: 120_000 };

  test("has a board at three servers, goes on without one, leaves nothing", limit, async (t) => {
    const cluster = await Cluster.start(t);
    await cluster.shows(/Ctrl\+C/);
    const lines = cluster.shown.matchAll(/^ {2}(http:\S+) {2}process (\d+), id (\w+)$/gm);
    const servers = [...lines].map(([, url, id, name]) => ({ url, id: Number(id), name }));
    assert.equal(servers.length, 3, cluster.shown);
    for (const { url } of servers) {
      assert.match(await (await fetch(url)).text(), /<title>Board<\/title>/);
    }
    const [, addresses] = /cluster status --cluster (\S+)/.exec(cluster.shown);
    const people = servers.map(({ url }) =>
      connect(url.replace("http", "ws"), { WebSocket, platform: { random: () => 0 } }),
    );
    await people[0].dispatch({ type: "Say", payload: { text: "before" } });
    const [, owner] = /^room \/ (\w+)$/m.exec(rooms(addresses));
    const place = servers.findIndex(({ name }) => name === owner);
    process.kill(servers[place].id, "SIGKILL");
    await cluster.shows(new RegExp(`\\(process ${servers[place].id}\\) has ended`));
    const other = people[(place + 1) % 3];
    await other.dispatch({ type: "Say", payload: { text: "after" } });
    const chat = other.select("chat");
    await new Promise((resolve) => chat.subscribe(() => chat.getState() && resolve()));
    const texts = chat.getState().map(({ text }) => text);
    assert.deepEqual(texts, ["before", "after"]);
    for (const person of people) person.close();
    const [, logs] = /NATS servers are the processes ([\d ]+)\./.exec(cluster.shown);
    const ids = [...servers.map(({ id }) => id), ...logs.split(" ").map(Number)];
    assert.equal(ids.filter(isThere).length, 5);
    const [, folder] = / logs are in (\S+), until this ends/.exec(cluster.shown);
    assert(existsSync(join(folder, "key")));
    assert.equal(await cluster.interrupt(), 0);
    assert.deepEqual(ids.filter(isThere), []);
    assert(!existsSync(folder));
  });
});

describe("Docs/Cluster/start, when something is wrong", () => {
  const folder = mkdtempSync(join(tmpdir(), "storecast-cluster-test-"));
  after(() => rmSync(folder, { recursive: true }));

  /** A program in place of another one. */
  function stand(name, body) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return file;
  }

  /** One that only is there, and says so; and the ids of its processes, when there are so many. */
  function idle(name) {
    const ids = join(folder, `${name}-ids`);
    const file = stand(name, `echo $$ >> ${ids}\nexec sleep 600`);
    const read = () => (existsSync(ids) ? readFileSync(ids, "utf8") : "").match(/\d+(?=\n)/g) ?? [];
    const processes = async (count) => {
      for (let tries = 0; read().length < count && tries < 500; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert.equal(read().length, count);
      return read().map(Number);
    };
    return { file, ids, processes };
  }

  test("it can be ended before everything is there", async (t) => {
    const [log, server] = [idle("log"), idle("server")];
    const TMPDIR = join(folder, "temporary");
    execFileSync("mkdir", [TMPDIR]);
    const environment = { NATS_SERVER: log.file, STORECAST: server.file, TMPDIR };
    const cluster = await Cluster.start(t, environment);
    const ids = [...(await log.processes(3)), ...(await server.processes(3))];
    assert.equal(ids.filter(isThere).length, 6);
    assert.equal(await cluster.terminate(), 0);
    assert.deepEqual(ids.filter(isThere), []);
    assert.deepEqual(readdirSync(TMPDIR), []);
  });

  for (const isKept of [false, true]) {
    const where = isKept ? "its folder" : "a folder that was to be gone";
    test(`a start ends what one that was killed has left running, in ${where}`, async (t) => {
      const name = `left-${isKept}`;
      const [log, server] = [idle(`${name}-log`), idle(`${name}-server`)];
      const TMPDIR = join(folder, name);
      execFileSync("mkdir", [TMPDIR]);
      const options = isKept ? [join(TMPDIR, "kept")] : [];
      const environment = { NATS_SERVER: log.file, STORECAST: server.file, TMPDIR };
      const first = await Cluster.start(t, environment, ...options);
      const left = [...(await log.processes(3)), ...(await server.processes(3))];
      await first.kill();
      assert.equal(left.filter(isThere).length, 6);
      // The id of another process, which is none of its own.
      const other = spawn("sleep", ["600"]);
      t.after(() => other.kill());
      const [place] = readdirSync(TMPDIR);
      const list = join(TMPDIR, place, "processes");
      writeFileSync(list, `${readFileSync(list, "utf8")}${other.pid} 1 storecast-4\n`);

      const second = await Cluster.start(t, environment, ...options);
      await Promise.all([log.processes(6), server.processes(6)]);
      const said = [...second.shown.matchAll(/^Ended \S+ \(process (\d+)\)/gm)];
      assert.deepEqual(said.map(([, id]) => Number(id)).sort(), left.sort());
      assert.deepEqual(left.filter(isThere), []);
      assert(isThere(other.pid));
      assert.equal(readdirSync(TMPDIR).length, 1);
      assert.equal(await second.terminate(), 0);
      assert.deepEqual(readdirSync(TMPDIR), isKept ? ["kept"] : []);
      assert(!existsSync(list));
    });
  }

  test("a folder is that of one cluster at a time", async (t) => {
    const [log, server] = [idle("own-log"), idle("own-server")];
    const environment = { NATS_SERVER: log.file, STORECAST: server.file };
    const place = join(folder, "own");
    const first = await Cluster.start(t, environment, place);
    const ids = [...(await log.processes(3)), ...(await server.processes(3))];
    const second = await Cluster.start(t, environment, place);
    assert.equal(await second.end(), 1);
    assert.match(second.problems, /own is that of a cluster that runs/);
    assert.equal(ids.filter(isThere).length, 6);
    // Which the first one's own end removes.
    assert(existsSync(join(place, "processes")));
    assert.equal(await first.terminate(), 0);
  });

  test("it says which one doesn't start, and why, and ends the others", async (t) => {
    const log = idle("other-log");
    const allRun = `[ "$(grep -c . ${log.ids})" = 3 ]`;
    const server = stand(
      "no-server",
      `until ${allRun}; do sleep 0.05; done\necho 'There is no disk.' >&2; exit 2`,
    );
    const cluster = await Cluster.start(t, { NATS_SERVER: log.file, STORECAST: server });
    assert.equal(await cluster.end(), 1);
    assert.match(cluster.problems, /^storecast-[123] has ended\. There is no disk\.$/m);
    assert.deepEqual((await log.processes(3)).filter(isThere), []);
  });

  test("it says what is missing, or taken", async (t) => {
    const there = { NATS_SERVER: stand("nats", "exit"), STORECAST: stand("storecast", "exit") };
    const problem = async (environment, ...options) => {
      const cluster = await Cluster.start(t, { ...there, ...environment }, ...options);
      assert.equal(await cluster.end(), 1);
      return cluster.problems;
    };
    assert.match(await problem({ NATS_SERVER: "/none" }), /^There is no '\/none'.*set NATS_SERVER/);
    assert.match(await problem({ STORECAST: "/none" }), /^There is no '\/none'.*set STORECAST/);
    assert.match(await problem({ OPENSSL: "/none" }), /^There is no '\/none'.*the key/);
    assert.match(await problem({}, "--port", "65530"), /^--port takes a number/);
    const taken = await listen(0);
    const { port } = taken.address();
    const text = await problem({}, "--port", String(port - 13));
    taken.close();
    assert.match(text, new RegExp(`^Port ${port} is taken\\.`));
  });
});
