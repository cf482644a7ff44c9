/**
 * Makes an element. Texts are texts: nothing that comes from a room is ever read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [attributes]  `onclick` and the like are listeners; false and
 *     undefined leave an attribute out
 * @param {...(Node | string | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  for (const child of children) if (child !== undefined && child !== false) made.append(child);
  return made;
}

/**
 * The element of the page with this id.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byID(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element '${id}'.`);
  return found;
}

/**
 * Calls `body` once when calls have ceased for a while, unless it is cancelled before.
 *
 * @template {unknown[]} Values
 * @param {number} delay  in milliseconds
 * @param {(...values: Values) => void} body
 * @returns {{ call: (...values: Values) => void, cancel: () => void }}
 */
export function settled(delay, body) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return {
    call: (...values) => {
      clearTimeout(timer);
      timer = setTimeout(() => body(...values), delay);
    },
    cancel: () => clearTimeout(timer),
  };
}

/** @param {number} seconds  since 1970 */
export function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(11, 23);
}

/** @param {number} count */
export function bytes(count) {
  if (count < 1000) return `${Math.round(count)} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** @param {number} value */
export function rate(value) {
  return value >= 100 || value === 0 ? value.toFixed(0) : value.toFixed(1);
}

/** @param {number} microseconds */
export function duration(microseconds) {
  if (microseconds < 1000) return `${microseconds.toFixed(0)} µs`;
  if (microseconds < 1e6) return `${(microseconds / 1e3).toFixed(1)} ms`;
  return `${(microseconds / 1e6).toFixed(1)} s`;
}

/** An id that no other has. */
export function newID() {
  // Not on pages that came from another machine without TLS.
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
}
