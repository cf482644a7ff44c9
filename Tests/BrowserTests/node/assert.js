/** `node:assert/strict`, as far as the client's tests use it. */

export default function assert(value, message) {
  if (!value) fail(message ?? `${show(value)} isn't true.`);
}

Object.assign(assert, {
  ok: assert,
  fail,

  equal(one, other, message) {
    assert(Object.is(one, other), message ?? `${show(one)} isn't ${show(other)}`);
  },

  notEqual(one, other, message) {
    assert(!Object.is(one, other), message ?? `Both are ${show(one)}`);
  },

  deepEqual(one, other, message) {
    assert(isDeepEqual(one, other), message ?? `${show(one)} isn't ${show(other)}`);
  },

  match(text, pattern, message) {
    assert(pattern.test(text), message ?? `${show(text)} doesn't match ${pattern}`);
  },

  throws(work, expected) {
    let thrown;
    try {
      work();
    } catch (error) {
      thrown = { error };
    }
    check(thrown, expected);
  },

  doesNotThrow(work) {
    work();
  },

  async rejects(work, expected) {
    const promise = typeof work === "function" ? work() : work;
    check(await promise.then(() => undefined, (error) => ({ error })), expected);
  },
});

class AssertionError extends Error {
  name = "AssertionError";
}

function fail(message = "Failed") {
  throw message instanceof Error ? message : new AssertionError(message);
}

/** Whether what was thrown, if anything was, is what is expected. */
function check(thrown, expected) {
  if (!thrown) fail("Nothing was thrown.");
  const { error } = thrown;
  if (expected === undefined) return;
  if (expected instanceof RegExp) return assert.match(String(error), expected);
  if (typeof expected === "function") {
    if (expected.prototype && error instanceof expected) return;
    if (Error.isPrototypeOf(expected)) throw error;
    return assert(expected.call({}, error) === true, `${error} isn't what is expected.`);
  }
  const names = Object.keys(expected);
  if (expected instanceof Error) names.push("name", "message");
  for (const name of names) {
    const isSo = expected[name] instanceof RegExp && typeof error[name] === "string"
      ? expected[name].test(error[name])
      : isDeepEqual(error[name], expected[name]);
    assert(isSo, `${name} of ${error} is ${show(error[name])}, not ${show(expected[name])}`);
  }
}

/** What has contents that are no members; nobody compares them so far. */
const opaque = [Date, RegExp, ArrayBuffer, DataView, Promise, WeakMap, WeakSet, Boolean, Number];

function isDeepEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (opaque.some((kind) => one instanceof kind)) fail(`${show(one)} can't be compared here.`);
  if (one instanceof Error && (one.name !== other.name || one.message !== other.message)) {
    return false;
  }
  if (one instanceof Set || one instanceof Map) {
    if (!isEachIn([...one], [...other])) return false;
  }
  if (Array.isArray(one) && one.length !== other.length) return false;
  const [names, others] = [namesOf(one), namesOf(other)];
  return names.length === others.length && names.every(
    (name) => others.includes(name) && isDeepEqual(one[name], other[name]));
}

const isObject = (value) => typeof value === "object" && value !== null;

function namesOf(object) {
  const { propertyIsEnumerable } = Object.prototype;
  return Reflect.ownKeys(object).filter((name) => propertyIsEnumerable.call(object, name));
}

/** Whether these are the same, in whatever order. */
function isEachIn(some, others) {
  if (some.length !== others.length) return false;
  const left = [...others];
  return some.every((one) => {
    const place = left.findIndex((other) => isDeepEqual(one, other));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function show(value) {
  if (value instanceof Set || value instanceof Map) return show([...value]);
  if (value instanceof Error || !isObject(value)) return `${typeof value} ${String(value)}`;
  return JSON.stringify(value, (_, member) => {
    return typeof member === "bigint" || member === undefined ? String(member) : member;
  });
}
