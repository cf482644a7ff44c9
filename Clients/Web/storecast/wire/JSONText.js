import { FrameError } from "./FrameError.js";

/** How deep arrays and objects of a message may be nested. */
const deepest = 512;

/**
 * Reads one message as strictly as the protocol asks for.
 *
 * `JSON.parse` refuses all that RFC 8259 does, and a byte order mark; what it lets pass is looked
 * for here: members of one name, half surrogate pairs, numbers too large for a double. Integers
 * beyond 2^53 are rounded to the nearest double, as in every JavaScript program.
 *
 * @param {string} text
 * @returns {unknown}
 * @throws {FrameError} `malformed`
 */
export function readJSON(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FrameError("malformed", "The message is not JSON.");
  }
  // A member that another one of its name has replaced has left its colon.
  if (inspectJSON(value).members !== countColons(text)) {
    throw new FrameError("malformed", "An object has two members of one name.");
  }
  return value;
}

/**
 * How deep a value is nested and how many members its objects have in all.
 *
 * @param {unknown} value  made by `JSON.parse`
 * @returns {{ depth: number, members: number }}
 * @throws {FrameError} `malformed`, for what no JSON text may hold
 */
export function inspectJSON(value) {
  let members = 0;
  let deepestFound = 0;
  /** @type {(value: unknown, depth: number) => void} */
  const visit = (value, depth) => {
    if (typeof value === "string") return requireWellFormed(value);
    if (typeof value === "number") return requireFinite(value);
    if (typeof value !== "object" || value === null) return;
    if (depth >= deepest) throw new FrameError("malformed", "The value is nested too deep.");
    if (depth >= deepestFound) deepestFound = depth + 1;
    if (Array.isArray(value)) {
      for (const element of value) visit(element, depth + 1);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      members += 1;
      requireWellFormed(name);
      visit(member, depth + 1);
    }
  };
  visit(value, 0);
  return { depth: deepestFound, members };
}

/** @param {string} text  valid JSON */
function countColons(text) {
  let count = 0;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    if (unit === 0x3a) count += 1;
    if (unit === 0x22) place = endOfString(text, place);
  }
  return count;
}

/**
 * The place of the quotation mark that ends the string which begins at `start`.
 *
 * @param {string} text
 * @param {number} start
 */
function endOfString(text, start) {
  for (let end = start + 1; ; ) {
    end = text.indexOf('"', end);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end += 1;
  }
}

/** @param {string} text */
function requireWellFormed(text) {
  if (/\p{Surrogate}/u.test(text)) {
    throw new FrameError("malformed", "A string holds half a surrogate pair.");
  }
}

/** @param {number} number */
function requireFinite(number) {
  if (!Number.isFinite(number)) {
    throw new FrameError("malformed", "A number is too large for a double.");
  }
}
