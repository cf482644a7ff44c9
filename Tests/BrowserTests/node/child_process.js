import { Unavailable } from "node:test";

export function execFileSync() {
  throw new Unavailable("a page runs no programs");
}
