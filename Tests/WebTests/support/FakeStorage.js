/** What `localStorage` is for as much as an outbox uses, with a fault to switch on. */
export class FakeStorage {
  #items = new Map();
  /** Why nothing can be written. */
  fault;

  get length() {
    return this.#items.size;
  }

  get keys() {
    return [...this.#items.keys()];
  }

  key(place) {
    return this.keys[place] ?? null;
  }

  getItem(key) {
    return this.#items.get(key) ?? null;
  }

  setItem(key, text) {
    if (this.fault) throw new Error(this.fault);
    this.#items.set(key, String(text));
  }

  removeItem(key) {
    if (this.fault) throw new Error(this.fault);
    this.#items.delete(key);
  }
}

// No program but a browser has it.
globalThis.IDBKeyRange ??= { bound: (lower, upper) => ({ lower, upper }) };

/** What `indexedDB` is, as far as it is used here: one database, with the same fault. */
export class FakeDatabase {
  /** For each store, keys and values by the keys' texts. */
  #stores = new Map();
  /** Transactions are carried out one behind the other, as those that write the same are. */
  #line = Promise.resolve();
  /** Why nothing can be written. */
  fault;
  /** Whether the browser has closed what is open, as it may. */
  isCut = false;
  /** How often it is open. */
  holders = 0;
  /** Returns when the next transaction may be carried out. */
  turn = async () => {};

  /** What all stores hold. */
  get values() {
    return [...this.#stores.values()].flatMap((store) => [...store.values()].map(([, it]) => it));
  }

  /** The same database as a program has it of which nothing more is done when it `isGone`. */
  of(isGone) {
    const view = { close: () => this.close() };
    view.createObjectStore = (name) => this.createObjectStore(name);
    view.transaction = (names, mode) => this.transaction(names, mode, undefined, isGone);
    view.open = (name, version) => this.open(name, version, view);
    return view;
  }

  open(_, version, database = this) {
    this.isCut = false;
    const request = { result: database };
    queueMicrotask(() => {
      if (this.#stores.size === 0) request.onupgradeneeded();
      this.holders += 1;
      request.onsuccess();
    });
    return request;
  }

  close() {
    this.holders -= 1;
  }

  /** The person, or the browser, takes everything away. */
  clear() {
    this.isCut = true;
    for (const store of this.#stores.values()) store.clear();
  }

  createObjectStore(name) {
    this.#stores.set(name, new Map());
  }

  /** Nothing that it writes is there before it is complete. */
  transaction(_, mode = "readonly", options, isGone = () => false) {
    if (this.isCut) throw new DOMException("The connection is closing.", "InvalidStateError");
    const requests = [];
    const changes = [];
    let isAborted = false;
    const transaction = {
      error: null,
      objectStore: (name) => objectStore(this.#stores.get(name), requests, changes),
      abort: () => (isAborted = true),
      commit() {},
    };
    this.#line = this.#line.then(async () => {
      await this.turn();
      if (isGone()) return;
      for (let answer = requests.shift(); answer; answer = requests.shift()) {
        answer();
        // Whoever waits for it asks for more.
        for (let count = 0; count < 10; count += 1) await undefined;
      }
      const isFaulty = this.fault && mode === "readwrite";
      if (isFaulty) transaction.error = new Error(this.fault);
      if (isFaulty || isAborted) return transaction.onabort?.();
      for (const change of changes) change();
      transaction.oncomplete?.();
    });
    return transaction;
  }
}

function objectStore(store, requests, changes) {
  const found = ({ lower, upper }) =>
    [...store.values()].filter(
      ([[slot, seq]]) => slot === lower[0] && seq >= lower[1] && seq <= upper[1],
    );
  const answer = (read) => {
    const request = {};
    requests.push(() => {
      request.result = read();
      request.onsuccess();
    });
    return request;
  };
  return {
    get: (key) => answer(() => store.get(String(key))?.[1]),
    getAll: (range) => answer(() => found(range).map(([, value]) => value)),
    count: (range) => answer(() => found(range).length),
    put: (value, key) => {
      const copy = structuredClone(value);
      changes.push(() => store.set(String(key), [key, copy]));
    },
    delete: (range) => {
      const isKey = typeof range === "string";
      const keys = () => (isKey ? [range] : found(range).map(([key]) => key));
      changes.push(() => keys().forEach((key) => store.delete(String(key))));
    },
  };
}

/** Web Locks. What they call may be put off: `of` says by whom. */
export class FakeLocks {
  /** For each name who holds it, and who waits for it. */
  #locks = new Map();

  request(name, options, held) {
    return this.#request(name, options, held, (work) => queueMicrotask(work));
  }

  /** The locks as a program has them that does by `later` what it is called for. */
  of(later) {
    return { request: (name, options, held) => this.#request(name, options, held, later) };
  }

  /** A program is gone, and holds nothing any more. */
  drop(later) {
    for (const lock of this.#locks.values()) {
      lock.waiting = lock.waiting.filter((claim) => claim.later !== later);
      if (lock.holder?.later === later) lock.holder = undefined;
      this.#grant(lock);
    }
  }

  #request(name, { ifAvailable, steal, signal }, held, later) {
    const lock = this.#locks.get(name) ?? { waiting: [] };
    this.#locks.set(name, lock);
    return new Promise((resolve, reject) => {
      const claim = { name, held, later, resolve, reject };
      claim.fail = () => later(() => reject(new DOMException("It is lost.", "AbortError")));
      if (ifAvailable && (lock.holder || lock.waiting.length > 0)) {
        return later(() => resolve(held(null)));
      }
      if (steal) {
        lock.holder?.fail();
        lock.holder = undefined;
        lock.waiting.unshift(claim);
      } else lock.waiting.push(claim);
      signal?.addEventListener("abort", () => {
        if (!lock.waiting.includes(claim)) return;
        lock.waiting = lock.waiting.filter((other) => other !== claim);
        claim.fail();
      });
      this.#grant(lock);
    });
  }

  #grant(lock) {
    if (lock.holder || lock.waiting.length === 0) return;
    const claim = (lock.holder = lock.waiting.shift());
    const end = () => {
      if (lock.holder !== claim) return;
      lock.holder = undefined;
      this.#grant(lock);
    };
    claim.later(() => {
      // It may have been taken away before the program heard that it had it.
      if (lock.holder !== claim) return;
      const holding = Promise.resolve(claim.held({ name: claim.name }));
      holding.then(end, end);
      // Unless it is taken away before.
      holding.then(claim.resolve, claim.reject);
    });
  }
}

/** Broadcast channels, by whose names programs hear one another. */
export class FakeChannels {
  #channels = new Set();

  /** The channels as a program has them that hears by `later`. */
  of(later) {
    return (name) => {
      const channel = { name, later, onmessage: null };
      channel.postMessage = (message) => {
        if (!this.#channels.has(channel)) throw new Error("InvalidStateError: it is closed.");
        for (const other of this.#channels) {
          if (other === channel || other.name !== name) continue;
          const data = structuredClone(message);
          other.later(Object.assign(() => other.onmessage?.({ data }), { source: later }));
        }
      };
      channel.close = () => void this.#channels.delete(channel);
      this.#channels.add(channel);
      return channel;
    };
  }

  /** A program is gone. */
  drop(later) {
    for (const channel of this.#channels) if (channel.later === later) channel.close();
  }
}
