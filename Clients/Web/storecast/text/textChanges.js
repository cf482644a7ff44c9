/** How many pairs of words are compared at most. */
const mostPairs = 1_000_000;

/** @typedef {{ start: number, end: number }} Range */

/**
 * What makes one text of another, with whole words left as they are or replaced.
 *
 * Words, because letters that two words happen to share would mingle with what others make of the
 * same word at the same time. Swift's `TextDifference` finds the same changes.
 *
 * @param {readonly string[]} old  scalars
 * @param {readonly string[]} text
 * @param {number} most  how many changes there may be; beyond, they are one
 * @returns {import("./SharedText.js").TextChange[]}
 */
export function textChanges(old, text, most) {
  const all = { start: 0, end: old.length };
  const whole = change(old, all, text, { start: 0, end: text.length });
  if (!whole) return [];
  let start = whole.at;
  let end = whole.at + whole.delete;
  // To where the words begin and end that differ.
  while (start > 0 && isLetter(old[start - 1])) start -= 1;
  while (end < old.length && isLetter(old[end])) end += 1;
  const from = { start, end };
  const to = { start, end: text.length - (old.length - end) };
  const [words, newWords] = [wordsOf(old, from), wordsOf(text, to)];
  if (words.length * newWords.length > mostPairs) return [whole];
  const changes = wordChanges(old, from, words, text, to, newWords);
  return changes.length <= most ? changes : [whole];
}

/**
 * A part of the old text becomes one of the new, less what both begin and end with.
 *
 * @param {readonly string[]} old
 * @param {Range} from
 * @param {readonly string[]} text
 * @param {Range} to
 */
function change(old, from, text, to) {
  const [size, newSize] = [from.end - from.start, to.end - to.start];
  const most = Math.min(size, newSize);
  let start = 0;
  while (start < most && old[from.start + start] === text[to.start + start]) start += 1;
  let end = 0;
  while (end < most - start && old[from.end - 1 - end] === text[to.end - 1 - end]) end += 1;
  if (start + end === Math.max(size, newSize)) return undefined;
  return {
    at: from.start + start,
    delete: size - start - end,
    insert: text.slice(to.start + start, to.end - end).join(""),
  };
}

/**
 * Runs of letters and digits; everything else is a word by itself, as are the characters of scripts
 * without spaces. By ranges: not all machines know the same Unicode.
 *
 * @param {readonly string[]} text
 * @param {Range} range
 */
function wordsOf(text, { start, end }) {
  /** @type {Range[]} */
  const words = [];
  for (let place = start; place < end; place++) {
    const last = words.at(-1);
    if (last && isLetter(text[place]) && isLetter(text[place - 1])) last.end = place + 1;
    else words.push({ start: place, end: place + 1 });
  }
  return words;
}

/** @param {string | undefined} scalar */
const isLetter = (scalar = "") =>
  /^[0-9A-Z_a-z\u{C0}-\u{1FFF}\u{2C00}-\u{2DFF}]$/u.test(scalar);

/**
 * Leaves the longest sequence of words that both ranges have.
 *
 * @param {readonly string[]} old
 * @param {Range} from
 * @param {readonly Range[]} words
 * @param {readonly string[]} text
 * @param {Range} to
 * @param {readonly Range[]} newWords
 */
function wordChanges(old, from, words, text, to, newWords) {
  const common = new CommonWords(textsOf(words, old), textsOf(newWords, text));
  /** @type {import("./SharedText.js").TextChange[]} */
  const changes = [];
  let [i, j] = [0, 0];
  // Where what isn't left begins.
  let [start, newStart] = [from.start, to.start];
  /** @type {(end: number, newEnd: number) => void} */
  const close = (end, newEnd) => {
    const found = change(old, { start, end }, text, { start: newStart, end: newEnd });
    if (found) changes.push(found);
  };
  while (i < words.length || j < newWords.length) {
    const [word, newWord] = [words[i], newWords[j]];
    if (word && newWord && common.isLeft(i, j)) {
      close(word.start, newWord.start);
      [start, newStart] = [word.end, newWord.end];
      i += 1;
      j += 1;
    } else if (common.isDeleted(i, j)) {
      i += 1;
    } else {
      j += 1;
    }
  }
  close(from.end, to.end);
  return changes;
}

/**
 * @param {readonly Range[]} words
 * @param {readonly string[]} text
 */
const textsOf = (words, text) =>
  words.map(({ start, end }) => ({ text: text.slice(start, end).join(""), size: end - start }));

/**
 * How much two sequences of words have in common, from any two places on.
 *
 * @typedef {{ text: string, size: number }} Word
 */
class CommonWords {
  /** @type {readonly Word[]} */
  #old;
  /** @type {readonly Word[]} */
  #new;
  /** In scalars. */
  #lengths;

  /**
   * @param {readonly Word[]} old
   * @param {readonly Word[]} text
   */
  constructor(old, text) {
    this.#old = old;
    this.#new = text;
    this.#lengths = new Int32Array((old.length + 1) * (text.length + 1));
    for (let i = old.length - 1; i >= 0; i--) {
      for (let j = text.length - 1; j >= 0; j--) {
        const length = Math.max(this.#at(i + 1, j), this.#at(i, j + 1), this.#throughPair(i, j));
        this.#lengths[i * (text.length + 1) + j] = length;
      }
    }
  }

  /**
   * @param {number} i
   * @param {number} j
   */
  #at(i, j) {
    return this.#lengths[i * (this.#new.length + 1) + j] ?? 0;
  }

  /**
   * What is in common if the words at these places are left; 0 if they aren't the same.
   *
   * @param {number} i
   * @param {number} j
   */
  #throughPair(i, j) {
    const word = this.#old[i];
    return word && word.text === this.#new[j]?.text ? this.#at(i + 1, j + 1) + word.size : 0;
  }

  /**
   * Whether the words at these places are one that is left.
   *
   * @param {number} i
   * @param {number} j
   */
  isLeft(i, j) {
    const length = this.#throughPair(i, j);
    return length > 0 && length === this.#at(i, j);
  }

  /**
   * Whether the old word goes, or else the new one comes.
   *
   * @param {number} i
   * @param {number} j
   */
  isDeleted(i, j) {
    if (j === this.#new.length) return true;
    return i < this.#old.length && this.#at(i + 1, j) >= this.#at(i, j + 1);
  }
}
