/** Lets the examples be loaded where their frameworks aren't installed. */
export function resolve(specifier, context, next) {
  const isFramework = specifier === "react" || specifier === "vue";
  return next(isFramework ? new URL(`${specifier}.js`, import.meta.url).href : specifier, context);
}
