/**
 * The reference tokens of a JSON Pointer (RFC 6901).
 *
 * @param {unknown} pointer
 * @returns {string[]}
 * @throws {Error} if it isn't one
 */
export function readPointer(pointer) {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !/^(\/([^/~]|~[01])*)+$/u.test(pointer)) {
    throw new Error("A path must be a JSON Pointer.");
  }
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * The pointer to a member or an element of what `path` points to.
 *
 * @param {string} path
 * @param {string | number} token
 */
export function pointer(path, token) {
  return `${path}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * The index that a token stands for in an array (RFC 6901, section 4).
 *
 * @param {string} token
 * @param {number} end  the first index that there isn't
 * @throws {Error} if there is no such place
 */
export function readIndex(token, end) {
  const index = /^(0|[1-9][0-9]*)$/.test(token) ? Number(token) : NaN;
  if (!(index < end)) throw new Error("There is nothing at a path.");
  return index;
}
