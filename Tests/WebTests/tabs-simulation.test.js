import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { memoryCache } from "../../Clients/Web/storecast/index.js";
import { settle } from "./support/ManualPlatform.js";
import { ModelServer } from "./support/ModelServer.js";
import { Seed } from "./support/Seed.js";
import { SharingBrowser } from "./support/SharingBrowser.js";

/** A tab of a browser, and everything that it has dispatched. */
class Tab {
  /** What has become of each text: "pending", "reduced" or "rejected"; "closed" isn't known. */
  fates = new Map();
  /** The texts of whose rejection the page was told. */
  rejections = [];
  problem;
  #server;
  #seed;
  #link;

  constructor(name, browser, server, seed, cache) {
    Object.assign(this, { name, browser });
    this.#server = server;
    this.#seed = seed;
    const { peer, context } = browser.open({
      random: seed.next,
      cache,
      onRejected: (_, { payload }) => this.rejections.push(payload),
    });
    Object.assign(this, { peer, context });
    const optimistic = (list, { payload }) => [...list, payload];
    this.all = peer.connection.select("all", undefined, { optimistic });
    this.plain = peer.connection.select("all");
    this.all.subscribe(() => this.note(() => this.look()));
    if (seed.chance(0.5)) peer.connection.select("thirds");
  }

  note(work) {
    try {
      work();
    } catch (problem) {
      this.problem ??= problem;
    }
  }

  dispatch() {
    const text = `${this.name}${this.fates.size + 1}${this.#seed.chance(0.1) ? "!" : ""}`;
    this.fates.set(text, "pending");
    this.peer.connection.dispatch({ type: "add", payload: text }).then(
      ({ version }) => this.note(() => this.#reduced(text, version)),
      ({ code }) => this.note(() => this.#failed(text, code)),
    );
    this.note(() => this.look());
  }

  #reduced(text, version) {
    this.#end(text, "reduced");
    const place = this.#server.texts.indexOf(text);
    assert(place >= 0 && place < version, `${text} isn't in the version that is told`);
    if (this.plain.getState()) assert(this.plain.getState().includes(text), "it is shown");
  }

  #failed(text, code) {
    assert(code === "closed" || code === "loud", `${text}: ${code}`);
    this.#end(text, code === "closed" ? "closed" : "rejected");
  }

  #end(text, fate) {
    assert.equal(this.fates.get(text), "pending", `${text} has two outcomes`);
    this.fates.set(text, fate);
  }

  /** What is shown is true, and holds each of the tab's own texts once. */
  look() {
    const [shown, plain] = [this.all.getState(), this.plain.getState()];
    if (!shown || this.peer.connection.status.state === "closed") return;
    assert.deepEqual(plain, this.#server.texts.slice(0, plain.length), "it was never so");
    assert.equal(new Set(shown).size, shown.length, "one is shown twice");
    for (const [text, fate] of this.fates) {
      const isLost = fate === "pending" && !shown.includes(text) && !text.endsWith("!");
      assert(!isLost, `${text} has disappeared`);
    }
  }

  // The network

  connect() {
    const { socket } = this.peer;
    if (this.context.isFrozen || !socket || socket.isClosed) return;
    if (this.#link?.socket === socket) return;
    this.#link = { socket, server: this.#server.connect() };
    socket.onopen({});
  }

  get isConnected() {
    return this.#link !== undefined && !this.#link.socket.isClosed;
  }

  send() {
    const text = this.#link?.socket.sent.shift();
    if (text && this.#server.connections.has(this.#link.server)) this.#link.server.receive(text);
  }

  receive() {
    if (this.context.isFrozen || !this.#link || this.#link.socket.isClosed) return;
    const data = this.#link.server.outgoing.shift();
    if (data) this.#link.socket.onmessage({ data });
    else if (!this.#server.connections.has(this.#link.server)) this.cut();
  }

  turn() {
    if (this.#server.connections.has(this.#link?.server)) this.#link.server.turn();
  }

  cut() {
    const { socket, server } = this.#link ?? {};
    if (!socket || this.context.isFrozen) return;
    this.#server.connections.delete(server);
    this.#link = undefined;
    if (!socket.isClosed) socket.onclose({ code: 1006, reason: "" });
  }

  /** The tab is gone; the server hears of that now or never. */
  drop() {
    for (let count = this.#seed.below(4); count > 0; count -= 1) this.send();
    if (this.#seed.chance(0.5)) this.turn();
    this.#server.connections.delete(this.#link?.server);
  }
}

async function simulate(start, steps) {
  const seed = new Seed(start);
  const server = new ModelServer(seed);
  const browser = new SharingBrowser();
  const cache = seed.chance(0.5)
    ? { storage: memoryCache(), viewer: "ada", interval: 50 }
    : undefined;
  const all = [];
  const open = () => {
    const name = String.fromCharCode(97 + all.length);
    all.push(new Tab(name, browser, server, seed, cache));
  };
  // Transactions are carried out when it is their turn.
  const disk = [];
  browser.database.turn = () => new Promise((resolve) => disk.push(resolve));
  const rush = async () => {
    for (const go of disk.splice(0)) go();
    await settle();
  };
  const alive = () => all.filter(({ context }) => browser.contexts.has(context));
  open();
  open();
  const calm = 1 + seed.below(6);
  const patience = seed.one([300, 8000]);
  for (let step = 0; step < steps; step += 1) {
    const leader = alive().find(({ isConnected }) => isConnected);
    const tab = leader && seed.chance(0.4) ? leader : seed.one(alive());
    const what = seed.below(38);
    const mayWait = !tab.context.isFrozen;
    if (what < 3) tab.dispatch();
    else if (what < 9) tab.send();
    else if (what < 13) tab.receive();
    else if (what < 16) tab.turn();
    else if (what < 18) tab.connect();
    else if (what < 20) disk.shift()?.();
    else if (what < 30) tab.context.run();
    else if (what < 32 && mayWait) await tab.context.platform.advance(seed.below(patience));
    else if (what < 33 && seed.below(calm) === 0) tab.cut();
    else if (what < 34 && seed.below(calm) === 0) stopOrGo(tab, seed);
    else if (what < 35 && seed.below(calm) === 0) await end(tab, browser, seed);
    else if (what < 36 && all.length < 20 && alive().length < 4) open();
    else if (what >= 36) {
      await hurry(tab, rush);
      if (seed.below(calm * 4) === 0) await end(tab, browser, seed);
    }
    if (alive().length === 0) open();
    await settle();
    for (const { problem } of all) if (problem) throw problem;
  }
  await rest(browser, server, alive(), rush);
  check(server, all, alive());
}

/** All happens to one tab before anything does to the others. */
async function hurry(tab, rush) {
  for (let count = 0; count < 10; count += 1) {
    tab.connect();
    for (const step of ["send", "turn", "receive", "receive"]) tab[step]();
    tab.context.run();
    await rush();
  }
}

/** A page stops, with a word before or without, or goes on. */
function stopOrGo({ context }, seed) {
  const isWarned = seed.chance(0.5);
  if (!context.isFrozen && isWarned) context.sleep();
  context.isFrozen = !context.isFrozen;
  if (!context.isFrozen) context.wake();
}

/** A tab is closed, or crashes: then those who were to hear of its last messages may not have. */
async function end(tab, browser, seed) {
  tab.drop();
  const isClosed = seed.chance(0.5) && !tab.context.isFrozen;
  if (isClosed) tab.peer.connection.close();
  await settle();
  browser.crash(tab.context, isClosed ? undefined : (count) => seed.below(count + 1));
}

/** Everything that can happen happens, until nothing does. */
async function rest(browser, server, tabs, rush) {
  for (const { context } of tabs) {
    context.isFrozen = false;
    context.wake();
  }
  for (let round = 0; round < 100; round += 1) {
    for (let count = 0; count < 25; count += 1) {
      for (const tab of tabs) {
        tab.connect();
        tab.send();
        tab.turn();
        tab.receive();
        while (tab.context.run()) await settle();
      }
      await rush();
    }
    const isQuiet = tabs.every(({ plain, peer: { connection } }) => {
      const isCurrent = plain.getState()?.length === server.v;
      return isCurrent && connection.pendingCount === 0 && connection.status.state === "live";
    });
    if (isQuiet) return;
    for (const { context } of tabs) await context.platform.advance(1000);
  }
  const states = tabs.map(({ name, plain, peer: { connection } }) => {
    return [name, connection.status, connection.pendingCount, plain.getState()?.length];
  });
  assert.fail(`it did not come to rest: ${JSON.stringify([server.v, states])}`);
}

function check(server, all, alive) {
  for (const tab of all) {
    const { name, fates, peer, problem, rejections } = tab;
    assert.equal(problem, undefined);
    assert.deepEqual(peer.troubles, []);
    const reduced = server.texts.filter((text) => text.startsWith(name));
    const wanted = [...fates.keys()].filter((text) => !text.endsWith("!"));
    const isAlive = alive.includes(tab);
    // What a tab leaves that is closed is sent as far as the others, or the disk, have it.
    const count = isAlive ? wanted.length : reduced.length;
    assert.deepEqual(reduced, wanted.slice(0, count), "each once, and in order");
    if (!isAlive) continue;
    assert.deepEqual(tab.all.getState(), server.texts);
    for (const [text, fate] of fates) {
      assert.equal(fate, text.endsWith("!") ? "rejected" : "reduced", text);
      const told = rejections.filter((rejected) => rejected === text).length;
      assert.equal(told, text.endsWith("!") ? 1 : 0, `told of ${text}`);
    }
  }
}

describe("however often tabs come, go, stop and crash", () => {
  const seeds = Number(process.env.TEST_SEEDS ?? 50);
  const first = Number(process.env.STORECAST_SEED ?? 1);
  for (let seed = first; seed < first + seeds; seed += 1) {
    test(`everything is reduced once and in order (seed ${seed})`, () => simulate(seed, 500));
  }
});
