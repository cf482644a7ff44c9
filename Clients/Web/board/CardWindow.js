/** @typedef {import("./reducers.js").Card} Card */
/** @typedef {import("./reducers.js").Page} Page */
/** @typedef {import("../storecast/index.js").PagePlace} PagePlace */

/**
 * A part of the window: some rows that are beside one another.
 *
 * @typedef {object} Part
 * @property {PagePlace} place
 * @property {Store} store
 * @property {() => void} end  ends listening to it
 * @property {Page | undefined} page  as it was seen last
 * @property {readonly Card[]} gap  cards that belong to the next part, which doesn't have them yet
 * @property {{ place: PagePlace, store: Store, end: () => void } | undefined} next  takes over
 *     when it has its rows
 */

/**
 * @typedef {object} Store
 * @property {() => Page | undefined} getState
 * @property {(listener: () => void) => () => void} subscribe
 * @property {{ title: string } | undefined} [problem]
 */

/** How many cards a part has, and how many parts are followed at the most. */
export const partSize = 60;
const mostParts = 5;

/**
 * The cards of a column around those that are looked at, live: a few parts of the column that
 * follow on one another. The window goes down and up as the column is scrolled, so that neither
 * the page nor the server has more to do for a column of ten thousand cards than for one of some
 * hundred.
 */
export class CardWindow {
  /** @type {readonly Card[]} */
  cards = [];
  /** Whether there are cards above those of the window, and below them. */
  hasBefore = false;
  hasAfter = false;
  /** Whether the first cards have come. */
  isLoaded = false;
  /** @type {Part[]} */
  #parts = [];
  /** @type {"previous" | "next" | undefined} */
  #way;
  #storeAt;
  #changed;

  /**
   * @param {(place: PagePlace) => Store} storeAt  `partSize` rows at a place
   * @param {() => void} changed  is called when anything here is different
   */
  constructor(storeAt, changed) {
    this.#storeAt = storeAt;
    this.#changed = changed;
    this.#parts.push(this.#part({}));
    this.#show();
  }

  /** Whether cards were asked for that are still to come. */
  get isMoving() {
    return this.#way !== undefined;
  }

  /** Asks for cards below those that there are, if there are any. */
  next() {
    const end = this.#parts.at(-1)?.page?.end;
    if (this.#way || !this.hasAfter || !end) return;
    this.#way = "next";
    this.#parts.push(this.#part({ after: end }));
    this.#show();
  }

  /** Asks for cards above those that there are, if there are any. */
  previous() {
    const start = this.#parts[0]?.page?.start;
    if (this.#way || !this.hasBefore || !start) return;
    this.#way = "previous";
    this.#parts.unshift(this.#part({ before: start }));
    this.#show();
  }

  /** Follows nothing any longer. */
  close() {
    for (const part of this.#parts.splice(0)) release(part);
  }

  /**
   * @param {PagePlace} place
   * @returns {Part}
   */
  #part(place) {
    const store = this.#storeAt(place);
    const end = store.subscribe(() => this.#show());
    return { place, store, end, page: undefined, gap: [], next: undefined };
  }

  /**
   * Takes what the parts have now, and tells.
   *
   * @returns {void}
   */
  #show() {
    this.#parts.forEach((part, index) => {
      this.#arrive(part, index);
      const page = part.store.getState();
      if (!page || page === part.page) return;
      const hasMoved = !isSame(page.end, part.page?.end);
      if (hasMoved) part.gap = gapOf(part, page, this.#parts[index + 1]);
      part.page = page;
    });
    if (this.#hasEmptied()) return;
    this.#parts.forEach((part, index) => this.#anchor(part, this.#parts[index - 1]));
    if (this.#parts.some(({ next }) => next?.store.getState())) return this.#show();
    this.#finish();
    const seen = new Set();
    const known = this.#parts.flatMap(({ page, gap }) => [...(page?.rows ?? []), ...gap]);
    this.cards = known.filter(({ id }) => !seen.has(id) && seen.add(id));
    const loaded = this.#parts.filter(({ page }) => page);
    this.isLoaded = loaded.length > 0;
    this.hasBefore = loaded[0]?.page?.hasBefore ?? false;
    this.hasAfter = loaded.at(-1)?.page?.hasAfter ?? false;
    this.#changed();
  }

  /**
   * @param {Part} part
   * @param {number} index
   */
  #arrive(part, index) {
    const { next } = part;
    if (!next?.store.getState()) return;
    part.end();
    Object.assign(part, { ...next, next: undefined });
    const above = this.#parts[index - 1];
    if (above) above.gap = [];
  }

  /**
   * Has a part begin where the one above it ends, also when that end moves as cards come and go.
   *
   * @param {Part} part
   * @param {Part | undefined} above
   */
  #anchor(part, above) {
    const end = above?.page?.end;
    if (!end || !part.page) return;
    const place = { after: end };
    if (part.next && isSame(part.next.place, place)) return;
    part.next?.end();
    part.next = undefined;
    if (isSame(part.place, place)) {
      above.gap = [];
      return;
    }
    const store = this.#storeAt(place);
    part.next = { place, store, end: store.subscribe(() => this.#show()) };
  }

  /** Others may have taken away all of the cards: then it begins at the top again. */
  #hasEmptied() {
    const [first] = this.#parts;
    const isEmpty = this.#parts.every(({ page }) => page?.rows.length === 0);
    if (!isEmpty || !first?.page?.hasBefore) return false;
    this.close();
    this.#way = undefined;
    this.#parts.push(this.#part({}));
    this.#show();
    return true;
  }

  /** When the part that was asked for is there, that at the other end goes. */
  #finish() {
    const isDown = this.#way === "next";
    const part = isDown ? this.#parts.at(-1) : this.#parts[0];
    if (!this.#way || !part || !(part.page || part.store.problem)) return;
    this.#way = undefined;
    const isLonely = !part.page;
    if (!isLonely && this.#parts.length <= mostParts) return;
    const gone = isLonely === isDown ? this.#parts.pop() : this.#parts.shift();
    if (gone) release(gone);
    const last = this.#parts.at(-1);
    if (last) last.gap = [];
  }
}

/**
 * The cards that aren't among the last ones of a part any more because others came above them.
 *
 * @param {Part} part
 * @param {Page} page  as it is now
 * @param {Part | undefined} next
 * @returns {readonly Card[]}
 */
function gapOf({ page: old, gap }, page, next) {
  const last = page.rows.at(-1);
  // If there were fewer of them, the part has taken some of the next one's.
  if (!last || !next?.page || next.page.rows.some(({ id }) => id === last.id)) return [];
  const before = [...(old?.rows ?? []), ...gap];
  const now = new Set(page.rows.map(({ id }) => id));
  const stays = before.map(({ id }) => now.has(id)).lastIndexOf(true);
  return before.slice(stays + 1);
}

/** @param {Part} part */
function release(part) {
  part.end();
  part.next?.end();
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
