/**
 * Makes an element. Text is only ever text: nothing here reads HTML.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} properties  `text`, listeners as `on…`, attributes; what is
 *     undefined or false is left out
 * @param {(Node | undefined)[]} children
 * @returns {any} an element of that kind
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") made.textContent = String(value);
    else if (typeof value === "function") made.addEventListener(name.slice(2), asListener(value));
    else set(made, name, value);
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

/**
 * @param {Function} value
 * @returns {any}
 */
const asListener = (value) => value;

/**
 * Sets an attribute, or takes it away where the value is undefined or false.
 *
 * @param {Element} target
 * @param {string} name
 * @param {unknown} value
 */
export function set(target, name, value) {
  if (value === undefined || value === false) return target.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (target.getAttribute(name) !== text) target.setAttribute(name, text);
}

/**
 * The element with an id, which the page has.
 *
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element's children be these, in this order, and moves only those that have to.
 *
 * @param {Element} parent
 * @param {Element[]} children
 * @param {(child: Element) => boolean} keeps  which others stay where they are
 */
export function arrange(parent, children, keeps = () => false) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) {
    if (!wanted.has(child) && !keeps(child)) child.remove();
  }
  let next = parent.firstElementChild;
  for (const child of children) {
    while (next && keeps(next)) next = next.nextElementSibling;
    if (next && child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}
