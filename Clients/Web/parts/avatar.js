import { element } from "./element.js";
import { shown } from "./names.js";

/**
 * A person as a coloured disc with initials: the same everywhere and for everyone.
 *
 * @param {string} name  empty for somebody anonymous
 */
export function avatar(name) {
  const text = initials(shown(name));
  const disc = element("span", { class: "avatar", "aria-hidden": "true", text });
  disc.style.setProperty("--hue", String(hue(name)));
  return disc;
}

/** @param {string} name */
export const shownName = (name) => (name ? shown(name) : "anonymous");

/** @param {string} name */
function initials(name) {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...name];
  return letters.slice(0, 2).join("").toUpperCase() || "?";
}

/** @param {string} name */
function hue(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return (sum * 137) % 360;
}
