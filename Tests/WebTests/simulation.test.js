import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { localStorageOutbox, memoryCache } from "../../Clients/Web/storecast/index.js";
import { FakeLocks, FakeStorage } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { ModelServer } from "./support/ModelServer.js";
import { Seed } from "./support/Seed.js";
import { TestPeer } from "./support/TestPeer.js";

/** A browser's tab, which is loaded again now and then, and everything that it has dispatched. */
class Tab {
  /** What has become of each text: "pending", "reduced" or "rejected". */
  fates = new Map();
  /** What went wrong where nobody could throw it. */
  problem;
  /** The texts that this page has dispatched or found in its outbox. */
  #own = new Set();
  #ends = [];
  #server;
  #seed;
  #link;

  constructor(name, server, seed) {
    Object.assign(this, { name, storage: new FakeStorage(), locks: new FakeLocks() });
    this.platform = new ManualPlatform({ random: seed.next });
    let clients = 0;
    this.platform.newClient = () => `${name}-${(clients += 1)}`.padStart(16, "-");
    this.#server = server;
    this.#seed = seed;
    // Half of the tabs keep what they show.
    if (seed.chance(0.5)) this.cache = { storage: memoryCache(), viewer: name, interval: 50 };
    this.load();
  }

  load() {
    const { platform, storage, locks, cache } = this;
    this.peer = new TestPeer({
      platform,
      cache,
      outbox: localStorageOutbox("texts", { storage, locks }),
      onRejected: (_, action) => this.#end(action.payload, "rejected"),
    });
    const optimistic = (list, { payload }) => [...list, payload];
    this.all = this.peer.connection.select("all", undefined, { optimistic });
    this.plain = this.peer.connection.select("all");
    this.thirds = this.peer.connection.select("thirds");
    this.shown = undefined;
    const pending = [...this.fates].filter(([, fate]) => fate === "pending");
    this.#own = new Set(pending.map(([text]) => text));
    const look = () => this.#note(() => this.look());
    this.#ends = [this.all, this.thirds].map((store) => store.subscribe(look));
  }

  #note(work) {
    try {
      work();
    } catch (problem) {
      this.problem ??= problem;
    }
  }

  /** Loads the page again: what has no outcome is in the outbox. */
  async reload() {
    for (const end of this.#ends) end();
    this.peer.connection.close();
    this.#drop();
    await settle();
    this.load();
    await settle();
  }

  dispatch() {
    const text = `${this.name}${this.fates.size + 1}${this.#seed.chance(0.1) ? "!" : ""}`;
    this.fates.set(text, "pending");
    this.#own.add(text);
    this.peer.connection.dispatch({ type: "add", payload: text }).then(
      ({ version }) => this.#note(() => this.#reduced(text, version)),
      ({ code }) => this.#note(() => assert(code === "closed" || code === "loud", code)),
    );
    this.look();
  }

  #reduced(text, version) {
    this.#end(text, "reduced");
    assert(this.#server.texts.indexOf(text) < version, "it is in the version that is told");
    if (this.plain.getState()) assert(this.plain.getState().includes(text), "it is shown");
  }

  #end(text, fate) {
    this.#note(() => assert.equal(this.fates.get(text), "pending", `${text} has two outcomes`));
    this.fates.set(text, fate);
  }

  /** What is shown is true, goes on only, and holds each of the tab's own texts once. */
  look() {
    const [shown, plain] = [this.all.getState(), this.plain.getState()];
    assert.equal(shown === undefined, plain === undefined);
    if (!shown) return;
    assert.deepEqual(plain, this.#server.texts.slice(0, plain.length), "it was never so");
    assert.deepEqual(shown.slice(0, plain.length), plain);
    assert(plain.length >= (this.shown ?? 0), "it went back");
    this.shown = plain.length;
    assert.equal(new Set(shown).size, shown.length, "one is shown twice");
    for (const text of this.#own) {
      const isGone = !shown.includes(text) && this.fates.get(text) !== "rejected";
      // A rejection is told when this is over.
      if (isGone) assert(text.endsWith("!"), `${text} has disappeared`);
    }
    for (const text of shown.slice(plain.length)) assert(this.#own.has(text));
    if (this.#link?.isLive) assert.equal(this.thirds.getState(), Math.floor(plain.length / 3));
  }

  // The network

  connect() {
    const { socket } = this.peer;
    if (!socket || socket.isClosed || this.#link?.socket === socket) return;
    this.#link = { socket, server: this.#server.connect(), heard: new Set(), left: 0 };
    socket.onopen({});
  }

  /** The next message to the server arrives. */
  send() {
    const text = this.#link?.socket.sent.shift();
    if (text && this.#server.connections.has(this.#link.server)) this.#link.server.receive(text);
  }

  /** The next message to the client arrives. */
  receive() {
    const text = this.#link?.server.outgoing.shift();
    if (!text || this.#link.socket.isClosed) return;
    // Parts of a value change nothing that is shown.
    const { sub, op, count } = /^[0-9]/.test(text) ? {} : JSON.parse(text);
    if (op === "transaction") this.#link.left = count;
    else if (sub && op !== "subscribed") {
      this.#link.heard.add(sub);
      this.#link.left = Math.max(0, this.#link.left - 1);
    }
    this.#link.socket.onmessage({ data: text });
    this.look();
    const link = this.#link;
    if (link && link.heard.size === 2 && link.left === 0) link.isLive = true;
  }

  turn() {
    if (this.#server.connections.has(this.#link?.server)) this.#link.server.turn();
  }

  /** The connection breaks; the server may have heard something before. */
  cut() {
    const { socket } = this.#link ?? {};
    if (!socket) return;
    for (let count = this.#seed.below(3); count > 0; count -= 1) this.send();
    if (this.#seed.chance(0.5)) this.turn();
    this.#drop();
    if (!socket.isClosed) socket.onclose({ code: 1006, reason: "" });
  }

  #drop() {
    this.#server.connections.delete(this.#link?.server);
    this.#link = undefined;
  }

  /** Everything that can happen happens, until nothing does. */
  async rest() {
    for (let round = 0; round < 200; round += 1) {
      this.connect();
      for (let count = 0; count < 30; count += 1) {
        this.send();
        this.turn();
        this.receive();
        await settle();
      }
      const isCurrent = this.plain.getState()?.length === this.#server.v;
      if (isCurrent && this.peer.connection.pendingCount === 0) return;
      await this.platform.advance(1000);
    }
    assert.fail(`${this.name} did not come to rest`);
  }
}

async function simulate(start, steps) {
  const seed = new Seed(start);
  const server = new ModelServer(seed);
  const names = ["a", "b", "c"].slice(0, 1 + seed.below(3));
  const tabs = names.map((name) => new Tab(name, server, seed));
  const calm = 1 + seed.below(8);
  await settle();
  for (let step = 0; step < steps; step += 1) {
    const tab = seed.one(tabs);
    const what = seed.below(20);
    if (what < 3) tab.dispatch();
    else if (what < 7) tab.send();
    else if (what < 11) tab.receive();
    else if (what < 14) tab.turn();
    else if (what < 15) tab.connect();
    else if (what < 18) await tab.platform.advance(seed.below(400));
    else if (what < 19 && seed.below(calm) === 0) tab.cut();
    else if (seed.below(calm * 6) === 0) await tab.reload();
    await settle();
    for (const { problem } of tabs) if (problem) throw problem;
  }
  for (const tab of [...tabs, ...tabs]) await tab.rest();
  check(server, tabs);
}

function check(server, tabs) {
  for (const { name, fates, peer, problem } of tabs) {
    assert.equal(problem, undefined);
    assert.deepEqual(peer.troubles, []);
    const reduced = server.texts.filter((text) => text.startsWith(name));
    const wanted = [...fates.keys()].filter((text) => !text.endsWith("!"));
    assert.deepEqual(reduced, wanted, "each once, and in order");
    for (const [text, fate] of fates) {
      // Of what was left to another page only rejections are told.
      if (text.endsWith("!")) assert.equal(fate, "rejected", text);
      else assert.notEqual(fate, "rejected", text);
    }
  }
}

describe("however often connections break and pages are loaded again", () => {
  const seeds = Number(process.env.TEST_SEEDS ?? 100);
  const first = Number(process.env.STORECAST_SEED ?? 1);
  for (let seed = first; seed < first + seeds; seed += 1) {
    test(`everything is reduced once and shown as it is (seed ${seed})`, () => simulate(seed, 400));
  }
});
