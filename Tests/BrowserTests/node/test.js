/** `node:test`, as far as the client's tests use it. What is done here is done in order. */

/** What a page can't do: the test that needs it is skipped. */
export class Unavailable extends Error {}

class Suite {
  entries = [];
  before = [];
  after = [];
}

let current = new Suite();

/** What is thrown where no test catches it. */
const stray = [];
addEventListener("error", ({ error, message }) => stray.push(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => stray.push(reason));

function add(name, parts, isSuite) {
  const work = parts.pop();
  // Who has the page loaded waits for a while only.
  const [{ skip, timeout: _, ...others } = {}] = parts;
  if (Object.keys(others).length) throw new Error(`${name}: unknown options`);
  current.entries.push({ name, skip, work, isSuite });
}

export const describe = (name, ...parts) => add(name, parts, true);
export const test = (name, ...parts) => add(name, parts, false);
export const before = (work) => void current.before.push(work);
export const after = (work) => void current.after.push(work);

/**
 * Runs the tests that a module registers.
 *
 * @param {() => Promise<unknown>} load
 * @param {Record<string, string>} without  why tests, by their names, are skipped
 * @returns {Promise<{ name: string, problem?: string, skipped?: string }[]>}
 */
export async function run(load, without) {
  const results = [];
  try {
    await load();
    await runSuite(current, [], { results, without });
  } catch (error) {
    results.push({ name: "the file", problem: told(error) });
  }
  return results;
}

async function runSuite(suite, path, run) {
  for (const work of suite.before) await work();
  for (const entry of suite.entries) {
    const place = [...path, entry.name];
    const name = place.join(" › ");
    const skipped = entry.skip || run.without[name];
    if (skipped) run.results.push({ name, skipped });
    else if (!entry.isSuite) run.results.push({ name, ...(await runTest(entry.work)) });
    else {
      current = new Suite();
      await entry.work();
      await runSuite(current, place, run);
    }
  }
  for (const work of suite.after) await work();
}

async function runTest(work) {
  const context = new Context();
  try {
    // One that takes a callback is none of these tests.
    await work(context);
    await context.end();
    // What is rejected is told in a task of its own.
    await new Promise((resolve) => setTimeout(resolve));
    if (stray.length) throw stray[0];
    return {};
  } catch (error) {
    return error instanceof Unavailable ? { skipped: error.message } : { problem: told(error) };
  } finally {
    await context.end();
    stray.length = 0;
  }
}

class Context {
  #ends = [];

  mock = {
    method: (object, name, stand) => {
      const known = object[name];
      object[name] = stand;
      this.after(() => (object[name] = known));
    },
  };

  after(work) {
    this.#ends.push(work);
  }

  diagnostic(text) {
    console.info(text);
  }

  async end() {
    for (const work of this.#ends.splice(0)) await work();
  }
}

const told = (error) => (error instanceof Error ? `${error}\n${error.stack}` : String(error));
