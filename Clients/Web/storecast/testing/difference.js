import { pointer } from "../wire/JSONPointer.js";
import { isEqualJSON, isObject } from "../wire/JSONValue.js";

/**
 * A patch (RFC 6902) that makes one JSON value another, as a server sends it: parts that are the
 * same aren't in it, so that they stay the same objects in a mirror.
 *
 * @param {unknown} from
 * @param {unknown} to
 * @param {string} [path]
 * @returns {object[]}
 */
export function difference(from, to, path = "") {
  if (Array.isArray(from) && Array.isArray(to)) return arrayDifference(from, to, path);
  if (!isObject(from) || !isObject(to)) {
    return isEqualJSON(from, to) ? [] : [{ op: "replace", path, value: to }];
  }
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) => {
    const place = pointer(path, name);
    if (!Object.hasOwn(to, name)) return [{ op: "remove", path: place }];
    if (!Object.hasOwn(from, name)) return [{ op: "add", path: place, value: to[name] }];
    return difference(from[name], to[name], place);
  });
}

/**
 * What is the same at both ends stays; of the rest, elements become others as far as there are any.
 *
 * @param {unknown[]} from
 * @param {unknown[]} to
 * @param {string} path
 */
function arrayDifference(from, to, path) {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && isEqualJSON(from[start], to[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isEqualJSON(from.at(-1 - end), to.at(-1 - end))) end += 1;
  /** @type {object[]} */
  const operations = [];
  const common = shorter - end;
  for (let place = start; place < common; place += 1) {
    operations.push(...difference(from[place], to[place], `${path}/${place}`));
  }
  for (let place = from.length - end - 1; place >= common; place -= 1) {
    operations.push({ op: "remove", path: `${path}/${place}` });
  }
  for (let place = common; place < to.length - end; place += 1) {
    operations.push({ op: "add", path: `${path}/${place}`, value: to[place] });
  }
  return operations;
}
