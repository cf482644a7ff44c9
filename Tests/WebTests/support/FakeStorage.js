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
