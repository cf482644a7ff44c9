import { shown } from "../parts/names.js";

/**
 * Which board the page of a URL shows: `/b/NAME` is the room of that name, every other page the
 * server's own board.
 *
 * @param {string} pathname
 * @returns {{ path: string, name: string }} the room's path, and what people call it
 */
export function boardAt(pathname) {
  const segment = /^\/b\/([^/]+)$/.exec(pathname)?.[1];
  return segment ? { path: pathname, name: shown(decoded(segment)) } : { path: "/", name: "Board" };
}

/** @param {string} segment */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It isn't UTF-8: shown as it is.
    return segment;
  }
}

const adjectives = "amber brisk calm clear early fresh gentle green keen light quiet".split(" ");
const nouns = "bay brook cedar field garden harbour island lake meadow river valley".split(" ");
const letters = "23456789abcdefghjkmnpqrstuvwxyz";

/**
 * The path of a board that nobody can have yet, nor guess.
 *
 * @param {(numbers: Uint32Array) => Uint32Array} [fill]  with random numbers
 */
export function newBoardPath(fill = (numbers) => crypto.getRandomValues(numbers)) {
  const [first = 0, second = 0, ...rest] = fill(new Uint32Array(12));
  const id = rest.map((number) => letters[number % letters.length]).join("");
  return `/b/${adjectives[first % adjectives.length]}-${nouns[second % nouns.length]}-${id}`;
}
