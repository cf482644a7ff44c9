import { pointer } from "../../storecast/wire/JSONPointer.js";
import { canonicalText, isEqualJSON, isObject } from "../../storecast/wire/JSONValue.js";

/**
 * @typedef {object} Difference
 * @property {"added" | "removed" | "changed" | "moved"} kind
 * @property {string} path  a JSON Pointer (RFC 6901) into the later value; of something removed,
 *     into the earlier one
 * @property {string} parent  a pointer to where it is, in the later value
 * @property {unknown} [before]
 * @property {unknown} [after]
 */

const most = 1000;

/**
 * What differs between two JSON values, at most a thousand places. Elements of arrays are matched
 * by their `id`, or else by their value.
 *
 * @param {unknown} before
 * @param {unknown} after
 * @returns {Difference[]}
 */
export function differences(before, after) {
  /** @type {Difference[]} */
  const found = [];
  compare(before, after, "", "", "", found);
  return found;
}

/**
 * @param {unknown} before
 * @param {unknown} after
 * @param {string} old  where it was
 * @param {string} path  where it is
 * @param {string} parent
 * @param {Difference[]} found
 */
function compare(before, after, old, path, parent, found) {
  if (before === after || found.length >= most) return;
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key)) {
        const place = pointer(old, key);
        note(found, { kind: "removed", path: place, parent: path, before: before[key] });
      }
    }
    for (const key of Object.keys(after)) {
      const place = pointer(path, key);
      if (Object.hasOwn(before, key)) {
        compare(before[key], after[key], pointer(old, key), place, path, found);
      } else {
        note(found, { kind: "added", path: place, parent: path, after: after[key] });
      }
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareArrays(before, after, old, path, found);
  } else if (!isEqualJSON(before, after)) {
    note(found, { kind: "changed", path, parent, before, after });
  }
}

/**
 * @param {unknown[]} before
 * @param {unknown[]} after
 * @param {string} old
 * @param {string} path
 * @param {Difference[]} found
 */
function compareArrays(before, after, old, path, found) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  for (const [index, value] of before.entries()) {
    const name = nameOf(value);
    const known = places.get(name);
    if (known) known.push(index);
    else places.set(name, [index]);
  }
  const origins = after.map((value) => places.get(nameOf(value))?.shift() ?? -1);
  const kept = rising(origins);
  const gone = new Set([...places.values()].flat());
  for (const index of gone) {
    const place = pointer(old, index);
    note(found, { kind: "removed", path: place, parent: path, before: before[index] });
  }
  for (const [index, origin] of origins.entries()) {
    const place = pointer(path, index);
    if (origin < 0) {
      note(found, { kind: "added", path: place, parent: path, after: after[index] });
    } else {
      if (!kept.has(index)) note(found, { kind: "moved", path: place, parent: path });
      compare(before[origin], after[index], pointer(old, origin), place, path, found);
    }
  }
}

/** @param {unknown} value */
function nameOf(value) {
  const id = isObject(value) ? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? `id ${id}` : canonicalText(value);
}

/**
 * The places of a longest rising run among the numbers that aren't negative.
 *
 * @param {number[]} numbers
 */
function rising(numbers) {
  /** @type {number[]} */
  const ends = [];
  /** @type {number[]} */
  const before = [];
  for (const [place, number] of numbers.entries()) {
    if (number < 0) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[place] = low > 0 ? ends[low - 1] : -1;
    ends[low] = place;
  }
  /** @type {Set<number>} */
  const kept = new Set();
  for (let place = ends.at(-1) ?? -1; place >= 0; place = before[place]) kept.add(place);
  return kept;
}

/**
 * @param {Difference[]} found
 * @param {Difference} difference
 */
function note(found, difference) {
  if (found.length < most) found.push(difference);
}
