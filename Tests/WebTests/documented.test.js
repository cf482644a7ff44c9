import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";

const checker = fileURLToPath(new URL("../../.ci/documented", import.meta.url));

/** What the checker says of a library with these symbols. */
function check(...symbols) {
  const folder = mkdtempSync(join(tmpdir(), "storecast-graphs-"));
  writeFileSync(join(folder, "Shop.symbols.json"), JSON.stringify({ symbols }));
  const result = spawnSync(checker, [folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return result;
}

const basket = {
  identifier: { precise: "s:4Shop6BasketV" },
  pathComponents: ["Basket"],
  docComment: { lines: [{ text: "What somebody wants to buy." }] },
};
const count = {
  identifier: { precise: "s:4Shop6BasketV5countSivp" },
  pathComponents: ["Basket", "count"],
  location: { uri: "file:///shop/Basket.swift", position: { line: 6, character: 15 } },
};

describe("the checker of comments", () => {
  test("takes what has one", () => {
    assert.equal(check(basket).status, 0);
  });

  test("names what has none, or an empty one", () => {
    for (const docComment of [undefined, { lines: [{ text: "  " }] }]) {
      const { status, stderr } = check(basket, { ...count, docComment });
      assert.equal(status, 1);
      assert.equal(stderr, "/shop/Basket.swift:7: Shop.Basket.count has no comment\n");
    }
  });

  test("leaves out what the compiler makes", () => {
    const precise = "s:SQsE2neoiySbx_xtFZ::SYNTHESIZED::s:4Shop6BasketV";
    assert.equal(check(basket, { ...count, identifier: { precise } }).status, 0);
  });

  test("fails where there is nothing to look at", () => {
    assert.equal(check().status, 1);
  });
});
