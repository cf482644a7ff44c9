import { Unavailable } from "node:test";

/** A page's own digests come later. */
export function createHash() {
  throw new Unavailable("a page has no digests at once");
}
