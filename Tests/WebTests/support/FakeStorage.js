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
  /** Why nothing can be written. */
  fault;

  /** What all stores hold. */
  get values() {
    return [...this.#stores.values()].flatMap((store) => [...store.values()].map(([, it]) => it));
  }

  open() {
    const request = { result: this };
    queueMicrotask(() => {
      if (this.#stores.size === 0) request.onupgradeneeded();
      request.onsuccess();
    });
    return request;
  }

  close() {}

  createObjectStore(name) {
    this.#stores.set(name, new Map());
  }

  /** Nothing that it writes is there before it is complete. */
  transaction(_, mode = "readonly") {
    const changes = [];
    const transaction = { objectStore: (name) => objectStore(this.#stores.get(name), changes) };
    queueMicrotask(() => {
      if (this.fault && mode === "readwrite") {
        transaction.error = new Error(this.fault);
        return transaction.onabort?.();
      }
      for (const change of changes) change();
      transaction.oncomplete?.();
    });
    return transaction;
  }
}

function objectStore(store, changes) {
  const found = ({ lower, upper }) =>
    [...store.values()].filter(
      ([[slot, seq]]) => slot === lower[0] && seq >= lower[1] && seq <= upper[1],
    );
  const answer = (result) => {
    const request = { result };
    queueMicrotask(() => request.onsuccess());
    return request;
  };
  return {
    get: (key) => answer(store.get(String(key))?.[1]),
    getAll: (range) => answer(found(range).map(([, value]) => value)),
    count: (range) => answer(found(range).length),
    put: (value, key) => changes.push(() => store.set(String(key), [key, structuredClone(value)])),
    delete: (range) => {
      const isKey = typeof range === "string";
      const keys = () => (isKey ? [range] : found(range).map(([key]) => key));
      changes.push(() => keys().forEach((key) => store.delete(String(key))));
    },
  };
}

/** Web Locks, as far as `ifAvailable` goes. */
export class FakeLocks {
  #held = new Set();

  async request(name, { ifAvailable }, held) {
    if (!ifAvailable) throw new Error("Not played here.");
    if (this.#held.has(name)) return held(null);
    this.#held.add(name);
    try {
      return await held({ name });
    } finally {
      this.#held.delete(name);
    }
  }
}
