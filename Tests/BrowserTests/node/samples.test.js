import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

/*
 * What a page makes of `node:test` and `node:assert` is what Node.js makes of it: it runs these,
 * too, and each name says what becomes of the test.
 */

const twice = (make) => [make(), make()];
class Own {}

for (const [name, one, other] of [
  ["numbers", 1, 1],
  ["no numbers", NaN, NaN],
  ["objects in another order", { a: 1, b: [{}] }, { b: [{}], a: 1 }],
  ["sets in another order", new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1])],
  ["maps", ...twice(() => new Map([["a", [1]]]))],
  ["errors", ...twice(() => new TypeError("a"))],
  ["bytes", ...twice(() => new Uint8Array([1, 2]))],
  ["holes", [, 1], [, 1]],
]) {
  test(`deepEqual of ${name} passes`, () => assert.deepEqual(one, other));
}

for (const [name, one, other] of [
  ["a number and its text", 1, "1"],
  ["zeros of two signs", 0, -0],
  ["null and undefined", null, undefined],
  ["a member that is undefined and none", { a: undefined }, {}],
  ["none and a member that is undefined", {}, { a: undefined }],
  ["members of two names", { a: undefined }, { b: undefined }],
  ["members of symbols", { [Symbol.iterator]: 1 }, { [Symbol.iterator]: 2 }],
  ["arrays of two lengths", [1, 2], [1]],
  ["a hole and undefined", [, 1], [undefined, 1]],
  ["arrays with and without an end", [1], [1, ,]],
  ["an array and an object", [], {}],
  ["two kinds of objects", new Own(), {}],
  ["an object without a prototype", Object.create(null), {}],
  ["sets", new Set([1, 1, 2]), new Set([1, 3])],
  ["maps", new Map([["a", 1]]), new Map([["a", 2]])],
  ["errors of two messages", new Error("a"), new Error("b")],
  ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  ["what is deep inside", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
]) {
  test(`deepEqual of ${name} fails`, () => assert.deepEqual(one, other));
}

test("equal of zeros of two signs fails", () => assert.equal(0, -0));
test("notEqual of two objects passes", () => assert.notEqual({}, {}));
test("notEqual of one text fails", () => assert.notEqual("a", "a"));
test("ok of an empty text fails", () => assert.ok(""));
test("a call without a message fails", () => assert(0));
test("fail fails", () => assert.fail("so"));
test("match passes", () => assert.match("abc", /b/));
test("match of another text fails", () => assert.match("abc", /d/));

const thrower = (error) => () => {
  throw error;
};
test("throws of nothing fails", () => assert.throws(() => {}));
test("throws passes", () => assert.throws(thrower(new Error("a"))));
test("throws of a pattern passes", () => assert.throws(thrower(new TypeError("a")), /^Type.*a/));
test("throws of another pattern fails", () => assert.throws(thrower(new Error("a")), /b/));
test("throws of a class passes", () => assert.throws(thrower(new TypeError("a")), TypeError));
test("throws of another class fails", () => assert.throws(thrower(new Error("a")), TypeError));
test("throws of members passes", () => assert.throws(thrower({ code: "a", b: 1 }), { code: "a" }));
test("throws of other members fails", () => assert.throws(thrower({ code: "a" }), { code: "b" }));
test("throws of a check passes", () => assert.throws(thrower(new Error("a")), () => true));
test("throws of a check that says no fails", () => {
  assert.throws(thrower(new Error("a")), () => false);
});
test("throws of an error passes", () => assert.throws(thrower(new Error("a")), new Error("a")));
test("throws of another error fails", () => assert.throws(thrower(new Error("a")), new Error("b")));
test("rejects passes", () => assert.rejects(Promise.reject(new Error("a")), /a/));
test("rejects of a function passes", () => assert.rejects(async () => thrower(new Error("a"))()));
test("rejects of what is fulfilled fails", () => assert.rejects(Promise.resolve(1)));
test("rejects of another pattern fails", () => assert.rejects(Promise.reject(new Error("a")), /b/));

test("a promise that is rejected fails", async () => {
  await null;
  throw new Error("so");
});
test("a rejection that nobody handles fails", async () => {
  Promise.reject(new Error("so"));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
test("a rejection that is listened for, too, fails", async () => {
  const listener = () => {};
  process.on("unhandledRejection", listener);
  Promise.reject(new Error("so"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", listener);
});

describe("a suite", async () => {
  await null;
  const steps = [];
  before(() => steps.push("before"));
  after(() => steps.push("after"));

  describe("in it", () => test("runs in order and passes", () => steps.push("inner")));

  test("has its context and passes", async (context) => {
    const known = console.warn;
    context.mock.method(console, "warn", (text) => steps.push(text));
    console.warn("mocked");
    context.after(() => steps.push("ended"));
    assert.deepEqual(steps, ["before", "inner", "mocked"]);
    assert.notEqual(console.warn, known);
  });

  test("has what was mocked back and passes", () => {
    console.warn("so");
    assert.deepEqual(steps, ["before", "inner", "mocked", "ended"]);
  });

  test("immediate work comes behind promises and passes", async () => {
    const order = [];
    setImmediate(() => order.push("first"));
    void Promise.resolve().then(() => Promise.resolve().then(() => order.push("promise")));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ["promise", "first"]);
  });

  test("bytes are compared: it passes", () => {
    const compare = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    assert.deepEqual(["aa", "ab", "b", "a", "\u{1f600}"].map((one) => compare(one, "ab")),
      [-1, 0, 1, -1, 1]);
    assert.equal(compare("a", ""), 1);
    assert.equal(Buffer.byteLength("é"), 2);
    assert.equal(Buffer.from([1, 255]).toString("hex"), "01ff");
  });
});
