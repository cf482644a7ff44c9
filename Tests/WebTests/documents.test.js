import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";

const root = new URL("../../", import.meta.url);
const read = (name) => readFileSync(new URL(name, root), "utf8");
const pages = ["README.md"].concat(
  readdirSync(new URL("Docs", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `Docs/${name}`),
);

describe("README", () => {
  const readme = read("README.md");

  test("is read in one go", () => {
    assert(readme.split("\n").length < 150);
  });

  test("says what one asks before one begins", () => {
    const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    for (const heading of ["Quick start", "When not to use it", "Beside others", "Maturity"]) {
      assert(headings.includes(heading), heading);
    }
    for (const word of ["tokens", "rules", "deploy", "offline"]) {
      assert(readme.includes(word), word);
    }
  });

  test("names no address that isn't one", () => {
    for (const page of ["README.md", "Docs/Install.md"]) {
      assert(!read(page).includes("://…"), page);
    }
  });

  test("has a picture of text that moves, and stands still for those who want that", () => {
    const picture = read("Docs/Images/two-windows.svg");
    assert(readme.includes("Docs/Images/two-windows.svg"));
    assert.match(picture, /@keyframes/);
    assert.match(picture, /prefers-reduced-motion: reduce/);
    assert.match(picture, /prefers-color-scheme: dark/);
    assert(!/<image|<script|https?:\/\/(?!www\.w3\.org)/.test(picture));
  });
});

describe("the pages", () => {
  /** A page's lines without its code. */
  function prose(page) {
    return read(page).replace(/^ *```[^]*?^ *```$|`[^`\n]*`/gm, "").split("\n");
  }

  /** What the glossary has another word for. */
  const others = {
    acked: "acknowledged",
    "the room's log": "the room's journal",
    "remote store": "mirror",
    "journal's records": "the journal's entries",
  };

  test("use the glossary's words", () => {
    for (const page of pages) {
      for (const line of prose(page)) {
        for (const [word, better] of Object.entries(others)) {
          assert(!new RegExp(`\\b${word}\\b`, "i").test(line), `${page}: ${better}?\n${line}`);
        }
      }
    }
  });

  test("have a glossary of each word once", () => {
    const words = [...read("Docs/Concepts.md").matchAll(/^\| \*\*(.*?)\*\*/gm)].map(([, w]) => w);
    assert.deepEqual(words, [...new Set(words)].sort());
    for (const word of ["journal", "entry", "acknowledged", "mirror", "position"]) {
      assert(words.includes(word), word);
    }
  });
});
