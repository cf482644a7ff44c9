import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const debian = createRequire("/usr/share/nodejs/");

/** Finds React where Debian has it, and Vue as `vue.js` beside this has it. */
export function resolve(specifier, context, next) {
  if (specifier === "vue") return next(new URL("vue.js", import.meta.url).href, context);
  if (!/^react(-|$)/.test(specifier)) return next(specifier, context);
  return next(pathToFileURL(debian.resolve(`/usr/share/nodejs/${specifier}`)).href, context);
}
