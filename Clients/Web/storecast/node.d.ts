// Beside node.js, where TypeScript looks for what a program imports by that path.
export * from "./types/node.js";
