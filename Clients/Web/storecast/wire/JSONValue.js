/**
 * Whether two JSON values are equal: numbers by value, objects regardless of the order of members.
 *
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function isEqualJSON(one, other) {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((element, index) => isEqualJSON(element, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqualJSON(one[name], other[name]))
  );
}

/**
 * Whether a JSON value is an object, and not an array.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * One text for all equal values: the members of objects are in order.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonicalText(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`)}}`;
}

/**
 * Whether a value would be more than `limit` values one within the other if it were written out.
 * Copies share their storage here, but not in what is made of the value.
 *
 * @param {unknown} value
 * @param {number} limit
 */
export function isLargerThan(value, limit) {
  let count = 0;
  const rest = [value];
  while (rest.length > 0 && count <= limit) {
    const next = rest.pop();
    count += 1;
    if (typeof next !== "object" || next === null) continue;
    for (const member of Object.values(next)) rest.push(member);
  }
  return count > limit;
}
