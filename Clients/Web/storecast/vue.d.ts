// Beside vue.js, where TypeScript looks for what a program imports by that path.
export * from "./types/vue.js";
