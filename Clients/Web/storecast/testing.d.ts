// Beside testing.js, where TypeScript looks for what a program imports by that path.
export * from "./types/testing.js";
