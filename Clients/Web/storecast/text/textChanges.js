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
  const whole = trimmed(old, all, text, { start: 0, end: text.length });
  if (!whole) return [];
  let start = whole.at;
  let end = whole.at + whole.delete;
  // To where the words begin and end that differ.
  while (start > 0 && isLetter(old[start - 1])) start -= 1;
  while (end < old.length && isLetter(old[end])) end += 1;
  const from = { start, end };
  const to = { start, end: text.length - (old.length - end) };
  const [words, newWords] = [wordsOf(old, from), wordsOf(text, to)];
  const one = [change(old, from, text, to) ?? whole];
  if (words.length * newWords.length > mostPairs) return one;
  const changes = wordChanges(old, from, words, text, to, newWords);
  return changes.length <= most ? changes : one;
}

/**
 * A part of the old text becomes one of the new. A word to which letters are added, or of which
 * some are taken, keeps the others; everything else is replaced as it is.
 *
 * @param {readonly string[]} old
 * @param {Range} from
 * @param {readonly string[]} text
 * @param {Range} to
 */
function change(old, from, text, to) {
  const found = trimmed(old, from, text, to);
  const [gone, come] = [old.slice(from.start, from.end), text.slice(to.start, to.end)];
  const isGrown = !found?.delete || !found.insert;
  if (!found || (isGrown && gone.concat(come).every(isLetter))) return found;
  return { at: from.start, delete: gone.length, insert: come.join("") };
}

/**
 * A part of the old text becomes one of the new, less what both begin and end with.
 *
 * @param {readonly string[]} old
 * @param {Range} from
 * @param {readonly string[]} text
 * @param {Range} to
 */
function trimmed(old, from, text, to) {
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
  const [texts, newTexts] = [textsOf(words, old), textsOf(newWords, text)];
  const inCommon = lengthsInCommon(words, texts, newTexts);
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
    if (word && newWord && texts[i] === newTexts[j]) {
      close(word.start, newWord.start);
      [start, newStart] = [word.end, newWord.end];
      i += 1;
      j += 1;
    } else if (word && inCommon(i + 1, j) >= inCommon(i, j + 1)) {
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
const textsOf = (words, text) => words.map(({ start, end }) => text.slice(start, end).join(""));

/**
 * How much two sequences of words have in common from any two places on, in scalars. Where the
 * words at both are the same, nothing is longer than what begins with them.
 *
 * @param {readonly Range[]} words
 * @param {readonly string[]} texts  of these words
 * @param {readonly string[]} newTexts
 */
function lengthsInCommon(words, texts, newTexts) {
  // There is nothing behind either's end.
  const width = newTexts.length + 2;
  const lengths = new Int32Array((texts.length + 1) * width);
  /** @type {(i: number, j: number) => number} */
  const at = (i, j) => lengths[i * width + j] ?? 0;
  for (const [i, { start, end }] of [...words.entries()].reverse()) {
    for (let j = newTexts.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        texts[i] === newTexts[j]
          ? at(i + 1, j + 1) + end - start
          : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
