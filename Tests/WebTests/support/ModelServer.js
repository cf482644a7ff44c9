import assert from "node:assert/strict";

/**
 * A server of one room, written from Docs/Protocol.md with as little as it takes.
 *
 * The state is a list of texts; `add` adds one, unless it ends in "!". The selections are `all`,
 * and `thirds`, which changes with every third version. It checks what clients say, and is moody:
 * what it remembers, when it sends patches and when it can't take actions is up to its seed.
 */
export class ModelServer {
  epoch = "epoch-1";
  /** The texts, in order: the first `v` of them are the state at version `v`. */
  texts = [];
  connections = new Set();
  #ledger = new Map();
  #seed;

  constructor(seed) {
    this.#seed = seed;
    this.window = 1 + seed.below(8);
  }

  get v() {
    return this.texts.length;
  }

  connect() {
    const connection = new ModelConnection(this, this.#seed);
    this.connections.add(connection);
    return connection;
  }

  account(client) {
    if (!this.#ledger.has(client)) this.#ledger.set(client, { lastSeq: 0, rejected: [] });
    return this.#ledger.get(client);
  }

  /** The value of a selection at a version, and the version at which it became that. */
  value(select, v) {
    if (select === "all") return { value: this.texts.slice(0, v), since: v };
    const third = Math.floor(v / 3);
    return { value: third, since: third * 3 };
  }

  /** The one connection of a client: of two it is the one that was made later. */
  greet(connection, client) {
    for (const other of this.connections) {
      if (other === connection || other.client !== client) continue;
      this.connections.delete(other.number > connection.number ? connection : other);
    }
  }

  reduce(account, { seq, action }) {
    assert.equal(seq, account.lastSeq + 1, "an action was lost or came twice");
    account.lastSeq = seq;
    assert(!this.texts.includes(action.payload), `${action.payload} was reduced before`);
    if (!action.payload.endsWith("!")) return void this.texts.push(action.payload);
    account.rejected.push({ seq, code: "loud", title: "Not so loud." });
  }
}

class ModelConnection {
  /** Messages on their way to the client. */
  outgoing = [];
  client;
  #server;
  #seed;
  #subs = new Map();
  #dispatches = [];
  #next = 0;
  #repeatFrom;
  #acked = 0;
  #tag;
  #takesParts = false;
  /** What is sent in parts, until what makes it live: the version and text, and how far it is. */
  #parted;

  constructor(server, seed) {
    this.#server = server;
    this.#seed = seed;
  }

  receive(text) {
    const message = JSON.parse(text);
    for (const frame of [message].flat()) this[frame.op](frame);
  }

  #say(frame) {
    this.outgoing.push(JSON.stringify(frame));
  }

  hello({ client, connection, settled = 0, seen, parts }) {
    assert.equal(this.client, undefined);
    const server = this.#server;
    this.number = connection;
    if (seen?.epoch === server.epoch) assert(seen.v <= server.v);
    this.client = client;
    this.#takesParts = parts === 1 && this.#seed.chance(0.7);
    server.greet(this, client);
    const { lastSeq, rejected } = server.account(client);
    const known = rejected.filter(({ seq }) => seq > settled);
    this.#acked = Math.max(lastSeq, settled);
    this.#next = this.#acked + 1;
    const limits = { message: 4096, window: server.window, subscriptions: 8, depth: 16 };
    this.#say({
      op: "welcome",
      proto: 1,
      epoch: server.epoch,
      v: server.v,
      lastSeq,
      ...(known.length > 0 ? { rejected: known } : {}),
      heartbeat: 30,
      limits,
      server: "model/1",
      ...(this.#takesParts ? { parts: 1 } : {}),
    });
  }

  subscribe({ ref, select, at }) {
    const sub = select === "all" ? 5 : 8;
    assert(!this.#subs.has(sub), "this client has one subscription of each");
    this.#tag ??= this.#seed.chance(0.1) ? `t${this.#seed.below(100)}` : "t";
    const fits = at?.epoch === this.#server.epoch && at.tag === this.#tag;
    const remembers = fits && this.#seed.chance(0.8);
    this.#subs.set(sub, { ref, select, sent: remembers ? at.v : undefined, isLive: false });
    this.#say({ op: "subscribed", ref, sub, tag: this.#tag, bytes: 1 });
  }

  unsubscribe({ ref }) {
    for (const [sub, subscription] of this.#subs) {
      if (subscription.ref !== ref) continue;
      this.#subs.delete(sub);
      if (this.#parted?.subscription === subscription) this.#parted = undefined;
    }
  }

  ping() {
    this.#say({ op: "pong", v: this.#server.v });
  }

  dispatch(frame) {
    const { lastSeq } = this.#server.account(this.client);
    if (this.#repeatFrom !== undefined) {
      assert(frame.seq >= this.#repeatFrom, "it went back too far");
      if (frame.seq > this.#repeatFrom) return;
      this.#repeatFrom = undefined;
      this.#next = frame.seq;
    }
    assert.equal(frame.seq, Math.max(this.#next, Math.min(frame.seq, lastSeq + 1)), "a gap");
    assert(frame.seq <= this.#acked + this.#server.window, "the window is exceeded");
    assert(frame.base <= this.#server.v);
    this.#next = frame.seq + 1;
    this.#dispatches.push(frame);
  }

  /** Reduces what came, or can't, and tells what has become of everything. */
  turn() {
    const server = this.#server;
    if (this.client === undefined) return;
    const account = server.account(this.client);
    for (const frame of this.#dispatches.splice(0)) {
      if (this.#repeatFrom !== undefined) break;
      if (this.#seed.chance(0.1)) this.#refuse(frame.seq);
      else if (frame.seq > account.lastSeq) server.reduce(account, frame);
    }
    this.#tell(account);
    for (let parts = this.#seed.below(4); parts > 0; parts -= 1) this.#sayPart();
  }

  #sayPart() {
    if (!this.#parted?.subscription.isInParts) return;
    const { subscription, sub, v, text, at } = this.#parted;
    const piece = text.slice(at, at + 1 + this.#seed.below(20));
    this.outgoing.push(`${sub} ${v} ${at} ${text.length} ${piece}`);
    this.#parted.at += piece.length;
    if (this.#parted.at < text.length) return;
    // As if it had come with it.
    Object.assign(subscription, { sent: v, isInParts: false });
  }

  #refuse(seq) {
    this.#repeatFrom = seq;
    const retryAfter = this.#seed.below(3);
    const title = "Not now.";
    this.#say({ op: "reject", seq, code: "unavailable", title, retryable: true, retryAfter });
  }

  #tell({ lastSeq, rejected }) {
    const { v } = this.#server;
    const parts = [...this.#subs].flatMap(([sub, subscription]) => this.#part(sub, subscription));
    for (const reject of rejected.filter(({ seq }) => seq > this.#acked)) {
      this.#say({ op: "reject", ...reject, retryable: false });
    }
    const acks = lastSeq > this.#acked;
    if (acks || parts.length > 1) {
      this.#say({ op: "transaction", v, count: parts.length, ...(acks ? { acked: lastSeq } : {}) });
    }
    this.#acked = Math.max(this.#acked, lastSeq);
    for (const part of parts) this.#say(part);
  }

  /** What brings a subscription forward, if anything has to. */
  #part(sub, subscription) {
    const { select, sent, isLive } = subscription;
    const { value, since } = this.#server.value(select, this.#server.v);
    if ((isLive && since === sent) || subscription.isInParts) return [];
    // At once, or a little later.
    if (!isLive && this.#seed.chance(0.4)) return [];
    const mayPart = this.#takesParts && !this.#parted && !isLive && sent === undefined;
    if (mayPart && this.#seed.chance(0.5)) {
      subscription.isInParts = true;
      this.#parted = { subscription, sub, v: since, text: JSON.stringify(value), at: 0 };
      return [];
    }
    if (this.#parted?.subscription === subscription) this.#parted = undefined;
    Object.assign(subscription, { sent: since, isLive: true });
    if (sent === undefined || (since > sent && this.#seed.chance(0.3))) {
      return [{ op: "snapshot", sub, v: since, value }];
    }
    if (since <= sent) return [{ op: "current", sub, v: since }];
    const added = select === "all" ? value.slice(sent) : [];
    const adds = added.map((text) => ({ op: "add", path: "/-", value: text }));
    const ops = select === "all" ? adds : [{ op: "replace", path: "", value }];
    return [{ op: "patch", sub, from: sent, v: since, ops }];
  }
}
