/** Chance that can be had again: everything follows from its start (mulberry32). */
export class Seed {
  #state;

  constructor(start) {
    this.#state = start;
  }

  /** From 0 up to 1. */
  next = () => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  below(end) {
    return Math.floor(this.next() * end);
  }

  chance(probability) {
    return this.next() < probability;
  }

  one(list) {
    return list[this.below(list.length)];
  }

  /** A small JSON value. */
  json(depth) {
    const kind = this.below(depth > 0 ? 6 : 4);
    if (kind === 4) return Array.from({ length: this.below(4) }, () => this.json(depth - 1));
    if (kind < 4) return [null, true, this.below(3), this.one(["", "a"])][kind];
    const names = ["a", "b", "0"].filter(() => this.chance(0.6));
    return Object.fromEntries(names.map((name) => [name, this.json(depth - 1)]));
  }

  /** An operation of a patch that mostly fits `document`. */
  operation(document) {
    const op = this.one(["add", "add", "remove", "replace", "move", "copy"]);
    const operation = { op, path: this.pointer(document, op === "add") };
    if (op === "move" || op === "copy") operation.from = this.pointer(document);
    if (op === "add" || op === "replace") operation.value = this.json(2);
    return operation;
  }

  pointer(document, isNew = false) {
    let pointer = "";
    let value = document;
    while (typeof value === "object" && value !== null && this.chance(0.8)) {
      const names = Object.keys(value);
      const isOther = names.length === 0 || (isNew && this.chance(0.4));
      const name = this.one(isOther ? ["a", "c", "-", "1", "9"] : names);
      pointer += `/${name}`;
      value = value[name];
    }
    return pointer;
  }
}
