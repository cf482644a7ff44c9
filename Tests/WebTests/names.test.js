import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "./support/testing.js";
import { shownName } from "../../Clients/Web/parts/avatar.js";
import { isShowable, shown } from "../../Clients/Web/parts/names.js";

const file = new URL("../Vectors/names.json", import.meta.url);

test("people are shown of names what the vectors say, as in Swift", () => {
  const vectors = JSON.parse(readFileSync(file, "utf8"));
  assert(vectors.length > 40);
  for (const { text, shown: expected, isName } of vectors) {
    assert.equal(shown(text), expected);
    assert.equal(shown(expected), expected);
    assert.equal(isShowable(text), isName, expected);
  }
});

test("nobody is anonymous by a name that can't be seen", () => {
  assert.equal(shownName(""), "anonymous");
  assert.equal(shownName("\u200b"), "\\u200b");
});
