import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { connect, memoryCache } from "../../Clients/Web/storecast/index.js";
import { Seed } from "./support/Seed.js";
import { Line, missing, Server, until, WebSocket } from "./support/Server.js";

const document = { votes: { coffee: 3, tea: 2 }, log: [] };
const increment = { type: "increment", payload: { path: "/votes/tea", by: 1 } };
const platform = { random: () => 0 };
const open = (url, options) => connect(url, { WebSocket, platform, ...options });

describe("with a real server", { skip: missing }, () => {
  test("two clients follow each other", async () => {
    const server = await Server.start({ document });
    const [ada, bob] = [open(server.url), open(server.url)];
    const seen = bob.select("value", { path: "/votes" });
    await until(seen, () => seen.getState()?.tea === 2);
    const { version } = await ada.dispatch(increment);
    assert.equal(version, 1);
    await until(seen, () => seen.getState().tea === 3);
    assert.deepEqual(seen.getState(), { coffee: 3, tea: 3 });
    for (const connection of [ada, bob]) connection.close();
    await server.stop();
  });

  test("a second start with nothing changed transfers no value", async () => {
    const server = await Server.start({ document });
    const cache = { storage: memoryCache(), viewer: "" };
    const heard = [[], []];
    for (const frames of heard) {
      class Listening extends WebSocket {
        constructor(url, names) {
          super(url, names);
          this.addEventListener("message", ({ data }) => frames.push(JSON.parse(data).op));
        }
      }
      const ada = open(server.url, { WebSocket: Listening, cache });
      const votes = ada.select("value", { path: "/votes" });
      await until(votes, () => votes.isLive);
      assert.equal(votes.getState().tea, 2);
      await ada.saveCache();
      ada.close();
    }
    const values = (frames) => frames.filter((op) => op === "snapshot" || op === "current");
    assert.deepEqual(heard.map(values), [["snapshot"], ["current"]]);
    await server.stop();
  });

  test("a connection can be encrypted, with roots of one's own", async () => {
    const server = await Server.start({ document, isEncrypted: true });
    assert.equal(new URL(server.url).protocol, "wss:");
    class Trusting extends WebSocket {
      constructor(url, names) {
        super(url, names, { ca: server.root });
      }
    }
    const ada = open(server.url, { WebSocket: Trusting });
    const { version } = await ada.dispatch(increment);
    assert.equal(version, 1);
    ada.close();
    // Who doesn't know the root isn't let in, and tries again.
    const bob = open(server.url);
    const statuses = [];
    await new Promise((resolve) => {
      bob.subscribe(() => {
        statuses.push(bob.status.state);
        if (bob.status.state === "offline") resolve();
      });
    });
    assert(!statuses.includes("live"));
    bob.close();
    await server.stop();
  });

  test("a large document comes in parts, and is followed", async () => {
    const text = "caf\u00e9 \u{1F600} ".repeat(20_000);
    const server = await Server.start({ document: { text, votes: { tea: 2 } } });
    const parts = [];
    class Listening extends WebSocket {
      constructor(...details) {
        super(...details);
        this.addEventListener("message", ({ data }) => parts.push(/^[0-9]+ /.test(data)));
      }
    }
    const ada = open(server.url, { WebSocket: Listening });
    const seen = ada.select("value", { path: "" });
    await until(seen, () => seen.getState()?.votes.tea === 2);
    assert(seen.getState().text === text);
    assert.equal(parts.filter(Boolean).length, 4);
    await ada.dispatch(increment);
    assert.equal(seen.getState().votes.tea, 3);
    ada.close();
    await server.stop();
  });

  test("a rejection has the server's words, and the store is as if nothing had been", async () => {
    const server = await Server.start({ document });
    const connection = open(server.url);
    const optimistic = (votes) => ({ ...votes, milk: 1 });
    const votes = connection.select("value", { path: "/votes" }, { optimistic });
    await until(votes, () => votes.getState());
    const action = { type: "increment", payload: { path: "/votes/milk/hot", by: 1 } };
    const outcome = connection.dispatch(action);
    assert.equal(votes.getState().milk, 1);
    await assert.rejects(outcome, ({ name, code, title }) => {
      return name === "Rejection" && code === "conflict" && title.length > 5;
    });
    assert.deepEqual(votes.getState(), document.votes);
    await assert.rejects(connection.dispatch({ type: "drink" }), { code: "unknown-action" });
    const unknown = connection.select("vaule");
    await until(unknown, () => unknown.problem);
    assert.equal(unknown.problem.code, "unknown-selection");
    connection.close();
    await server.stop();
  });

  test("two thousand dispatches through a line that breaks are each reduced once", async () => {
    const server = await Server.start({ document });
    const line = await Line.to(server.port);
    const seed = new Seed(5);
    const connection = open(line.url);
    const log = connection.select("value", { path: "/log" });
    const shown = [];
    log.subscribe(() => shown.push(log.getState().length));
    await until(log, () => log.getState());
    const outcomes = [];
    let cuts = 0;
    for (let n = 0; n < 2000; n += 1) {
      const payload = { path: "/log", value: n };
      outcomes.push(connection.dispatch({ type: "append", payload }));
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (n % 200 === 199) {
        await until(log, () => log.getState().length > seed.below(n));
        line.cut();
        cuts += 1;
        connection.reconnect();
      }
    }
    const versions = (await Promise.all(outcomes)).map(({ version }) => version);
    assert.deepEqual(log.getState(), Array.from({ length: 2000 }, (_, n) => n));
    assert.deepEqual(versions, [...versions].sort((one, other) => one - other));
    assert.deepEqual(shown, [...shown].sort((one, other) => one - other), "it never went back");
    assert.equal(cuts, 10);
    connection.close();
    line.stop();
    await server.stop();
  });

  test("a server that comes back with another history is followed", async () => {
    const first = await Server.start({ document });
    const connection = open(first.url);
    const votes = connection.select("value", { path: "/votes" });
    await connection.dispatch(increment);
    const { epoch } = votes.position ?? {};
    await first.stop("SIGKILL");
    await until(connection, () => connection.status.state === "offline");
    const offline = connection.dispatch(increment);
    assert.equal(connection.pendingCount, 1);
    const second = await Server.start({ document, port: first.port });
    const position = await offline;
    assert.notEqual(position.epoch, epoch);
    assert.deepEqual(votes.getState(), { coffee: 3, tea: 3 });
    assert.equal(votes.position.epoch, position.epoch);
    connection.close();
    await second.stop();
  });

  test("a server that says goodbye is waited for, and where there is no room is not", async () => {
    const server = await Server.start();
    const connection = open(server.url, { token: "ada" });
    const columns = connection.select("columns");
    await until(columns, () => columns.getState());
    assert.deepEqual(
      columns.getState().map(({ id }) => id),
      ["todo", "doing", "done"],
    );
    const lost = open(new URL("nowhere", server.url));
    await until(lost, () => lost.status.state === "refused");
    assert.equal(lost.status.code, "no-room");
    lost.close();
    await server.stop();
    await until(connection, () => connection.status.state === "offline");
    const { since, retryAt, because } = connection.status;
    assert.equal(because, "The server stops.");
    assert(retryAt - since >= 500, "as long as the server asks for");
    connection.close();
  });

  test("a client id in use takes the connection over, and the older one stays away", async () => {
    const server = await Server.start({ document });
    const newClient = () => "one-client-in-two-programs";
    const older = open(server.url, { platform: { newClient } });
    await until(older, () => older.status.state === "live");
    const newer = open(server.url, { platform: { newClient } });
    await until(older, () => older.status.state === "refused");
    assert.equal(older.status.code, "replaced");
    await until(newer, () => newer.status.state === "live");
    for (const connection of [older, newer]) connection.close();
    await server.stop();
  });
});
