/**
 * `node:test`, with tests that fail where they would hang: `node --test` itself waits for ever, and
 * doesn't say for what.
 */
import * as node from "node:test";

export const { after, afterEach, before, beforeEach, describe } = node;

/** How long a test may take on the slowest machine, in milliseconds. */
const limit = { timeout: 300_000 };

/**
 * @param {string} name
 * @param {...any} parts  options, which may be left out, and what is to be done
 */
export function test(name, ...parts) {
  const work = parts.pop();
  return node.test(name, { ...limit, ...parts[0] }, work);
}

// What is left open keeps a program from ending, above all behind a test that failed. A page has
// none to end.
if (process.version) {
  node.after(() => {
    const end = () => {
      console.error("Something was left open for a minute: the program is ended.");
      process.exit();
    };
    setTimeout(end, 60_000).unref();
  });
}
