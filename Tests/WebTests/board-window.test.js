import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { CardWindow } from "../../Clients/Web/board/CardWindow.js";

const size = 3;

/** A column of cards, whose ids are numbers in their order, on a server that answers when asked. */
class Column {
  stores = new Set();
  #numbers;

  /** @param {number[]} numbers */
  constructor(numbers) {
    this.#numbers = numbers;
  }

  storeAt = (place) => {
    const listeners = new Set();
    const store = {
      place,
      state: undefined,
      getState: () => store.state,
      subscribe: (listener) => {
        listeners.add(listener);
        this.stores.add(store);
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0) this.stores.delete(store);
        };
      },
      tell: () => [...listeners].forEach((listener) => listener()),
    };
    return store;
  };

  #page({ after, before }) {
    const fits = (n) => (after ? n > after[0] : before ? n < before[0] : true);
    const found = this.#numbers.filter(fits);
    const numbers = before ? found.slice(-size) : found.slice(0, size);
    const rows = numbers.map((number) => ({ id: String(number) }));
    const ends = rows.length > 0 ? { start: [numbers[0]], end: [numbers.at(-1)] } : {};
    const hasBefore = this.#numbers.some((n) => n < (numbers[0] ?? after?.[0] + 1));
    const hasAfter = this.#numbers.some((n) => n > (numbers.at(-1) ?? before?.[0] - 1));
    return { rows, ...ends, hasBefore, hasAfter };
  }

  /** Answers whoever asks, and whoever asks because of that. */
  answer() {
    for (let store; (store = [...this.stores].find(({ state }) => !state)); ) {
      store.state = this.#page(store.place);
      store.tell();
    }
  }

  /** Tells those that are answered what there is now; others ask on. */
  change(numbers) {
    this.#numbers = numbers;
    for (const store of [...this.stores].filter(({ state }) => state)) {
      const page = this.#page(store.place);
      if (JSON.stringify(page) === JSON.stringify(store.state)) continue;
      store.state = page;
      store.tell();
    }
  }
}

const upTo = (count) => Array.from({ length: count }, (_, number) => number);

function open(numbers) {
  const column = new Column(numbers);
  let changes = 0;
  const window = new CardWindow(column.storeAt, () => (changes += 1));
  column.answer();
  const ids = () => window.cards.map(({ id }) => Number(id));
  const go = (way) => {
    window[way]();
    column.answer();
  };
  return { column, window, ids, go, count: () => changes };
}

const range = (from, end) => upTo(end).slice(from);

describe("a window of a long column", () => {
  test("begins at the top, and has nothing before that has come", () => {
    const column = new Column(upTo(10));
    const window = new CardWindow(column.storeAt, () => {});
    assert.deepEqual([window.isLoaded, window.cards], [false, []]);
    window.next();
    column.answer();
    assert.deepEqual([window.isLoaded, window.hasBefore, window.hasAfter], [true, false, true]);
    assert.equal(window.cards.length, size);
  });

  test("goes down to the end and up again, and follows no more than five parts", () => {
    const { window, ids, go, column } = open(upTo(40));
    for (let end = 6; end <= 15; end += 3) {
      go("next");
      assert.deepEqual(ids(), range(0, end));
    }
    for (let end = 18; end < 42; end += 3) {
      go("next");
      assert.deepEqual(ids(), range(end - 15, Math.min(end, 40)));
      assert(window.hasBefore && column.stores.size === 5);
    }
    go("next");
    assert.deepEqual([window.hasAfter, ids().at(-1)], [false, 39]);
    for (let number = 0; number < 20; number += 1) go("previous");
    assert.deepEqual([window.hasBefore, ids()], [false, range(0, 15)]);
    assert.equal(column.stores.size, 5);
  });

  test("asks for one part at a time", () => {
    const { window, column, ids } = open(upTo(20));
    window.next();
    window.next();
    window.previous();
    assert.deepEqual([window.isMoving, column.stores.size], [true, 2]);
    column.answer();
    assert.deepEqual([window.isMoving, ids()], [false, range(0, 6)]);
  });

  test("shows every card once while others add, move and remove cards in it", () => {
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    let numbers = upTo(30).map((number) => number * 1000);
    const { column, ids, go, window } = open(numbers);
    for (let round = 0; round < 300; round += 1) {
      if (random(3) === 0) go(random(2) ? "next" : "previous");
      const others = numbers.filter(() => random(12) > 0);
      numbers = [...new Set([...others, random(30_000), random(30_000)])].sort((a, b) => a - b);
      column.change(numbers);
      column.answer();
      const shown = ids();
      const from = numbers.indexOf(shown[0]);
      assert.deepEqual(shown, numbers.slice(from, from + shown.length), `round ${round}`);
      assert.equal(window.hasBefore, from > 0);
      assert.equal(window.hasAfter, from + shown.length < numbers.length);
    }
  });

  test("doesn't lose a card that goes to the next part, while that is on its way", () => {
    const { column, ids, go } = open([0, 10, 20, 30, 40, 50, 60]);
    go("next");
    assert.deepEqual(ids(), [0, 10, 20, 30, 40, 50]);
    column.change([0, 5, 10, 20, 30, 40, 50, 60]);
    assert.deepEqual(ids(), [0, 5, 10, 20, 30, 40, 50]);
    column.change([0, 5, 6, 10, 20, 30, 40, 50, 60]);
    assert.deepEqual(ids(), [0, 5, 6, 10, 20, 30, 40, 50]);
    column.answer();
    assert.deepEqual(ids(), [0, 5, 6, 10, 20, 30]);
  });

  test("doesn't go on showing a card that was taken away here, before the server knows", () => {
    const { column, ids, go } = open([0, 10, 20, 30, 40, 50]);
    go("next");
    const [first] = column.stores;
    first.state = { ...first.state, rows: first.state.rows.slice(0, 2) };
    first.tell();
    assert.deepEqual(ids(), [0, 10, 30, 40, 50]);
  });

  test("begins at the top again if all of its cards are taken away", () => {
    const { column, ids, go } = open(upTo(40));
    for (let number = 0; number < 12; number += 1) go("next");
    assert(ids()[0] > 5);
    column.change([1, 2]);
    column.answer();
    assert.deepEqual(ids(), [1, 2]);
    column.change([]);
    assert.deepEqual(ids(), []);
  });

  test("says so once when a part is refused, and stays as it is", () => {
    const { window, column, ids } = open(upTo(20));
    window.next();
    const refused = [...column.stores].find(({ state }) => !state);
    refused.problem = { title: "No." };
    refused.tell();
    assert.deepEqual([window.isMoving, ids(), column.stores.size], [false, [0, 1, 2], 1]);
  });

  test("follows nothing when it is closed", () => {
    const { window, column, go } = open(upTo(20));
    go("next");
    column.change([0, 0.5, ...range(1, 20)]);
    window.close();
    assert.equal(column.stores.size, 0);
  });
});
