import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";

const checker = fileURLToPath(new URL("../../.ci/links", import.meta.url));

/** What the checker says of a folder with these files. */
function check(files) {
  const folder = mkdtempSync(join(tmpdir(), "storecast-links-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { status, stderr } = spawnSync(checker, [folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}

const page = "# A page\n\n## What's `new`, and old\n\n## Twice\n\n## Twice\n";
const index = "[It](Page.md)\n";
const good = { "Docs/README.md": index, "Docs/Page.md": page };

describe("the links of the documents", () => {
  test("lead somewhere", () => {
    const { status, stderr } = spawnSync(checker, { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });
});

describe("the checker of links", () => {
  const refused = {
    "a file that isn't there": ["[x](Gone.md)", /README.md:2: Gone.md: there is no such file/],
    "a heading that isn't there": ["[x](Page.md#gone)", /Page.md#gone: there is no such heading/],
    "a heading of the page itself": ["[x](#gone)", /#gone: there is no such heading/],
    "an image that isn't there": ["![x](Images/gone.svg)", /gone.svg: there is no such file/],
    "a definition that leads nowhere": ["[x]\n\n[x]: Gone.md", /Gone.md: there is no such file/],
    "an element that leads nowhere": ['<a href="Gone.md">x</a>', /Gone.md: there is no such/],
    "a third heading of the same name": ["[x](Page.md#twice-2)", /there is no such heading/],
    "what is outside": ["[x](../../etc/passwd)", /it leads out of the repository/],
  };
  for (const [name, [line, problem]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => {
      const { status, problems } = check({ ...good, "Docs/README.md": `${index}${line}\n` });
      assert.equal(status, 1);
      assert.equal(problems.length, 1, problems);
      assert.match(problems[0], problem);
    });
  }

  test("refuses a page that the index leaves out", () => {
    const { status, problems } = check({ ...good, "Docs/Hidden.md": "# Hidden\n" });
    assert.equal(status, 1);
    assert.match(problems[0], /Hidden.md:1: .*the index doesn't have this page/);
  });

  test("refuses a page that the sources name and isn't there", () => {
    const { status, problems } = check({ ...good, "Sources/A.swift": "/// See `Docs/Gone.md`.\n" });
    assert.equal(status, 1);
    assert.match(problems[0], /A.swift:1: Docs\/Gone.md: there is no such file/);
  });

  test("takes anchors as GitHub makes them, addresses, and what is code", () => {
    const links = ["Page.md#whats-new-and-old", "Page.md#twice-1", "https://example.org/#x"];
    const text = links.map((link) => `[x](${link})\n`).join("");
    const code = "`[x](Gone.md)`\n\n```md\n[x](Gone.md)\n```\n";
    const { status, problems } = check({ ...good, "Docs/README.md": index + text + code });
    assert.deepEqual(problems, []);
    assert.equal(status, 0);
  });
});
