import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { command } from "./support/Server.js";

const module = fileURLToPath(new URL("../../Clients/Web/storecast", import.meta.url));
const program = fileURLToPath(new URL("./support/DeclaredBoard.ts", import.meta.url));
const skip =
  (!existsSync(command) && "needs .build/debug/storecast: swift build") ||
  (!hasTsc() && "needs tsc");

function hasTsc() {
  try {
    return Boolean(execFileSync("tsc", ["--version"]));
  } catch {
    return false;
  }
}

describe("the declarations that storecast writes", { skip }, () => {
  let folder;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "storecast-declarations-"));
    const declarations = execFileSync(command, ["types", "--name", "Board"]);
    writeFileSync(join(folder, "board.d.ts"), declarations);
  });

  after(() => rmSync(folder, { recursive: true }));

  /** What tsc says of a program beside the declarations. */
  function check(text) {
    const file = join(folder, "program.ts");
    writeFileSync(file, text.replaceAll("STORECAST", module));
    const options = ["--strict", "--noEmit", "--target", "ES2022", "--moduleResolution", "node"];
    try {
      return execFileSync("tsc", [...options, file], { encoding: "utf8" });
    } catch (error) {
      return error.stdout;
    }
  }

  test("let programs through that use a room rightly, and no others", () => {
    assert.equal(check(readFileSync(program, "utf8")), "");
  });

  test("make a wrong program fail", () => {
    const text = readFileSync(program, "utf8").replaceAll("// @ts-expect-error", "//");
    const lines = new Set(check(text).match(/^[^ ]*\(\d+/gm));
    assert.equal(lines.size, 7);
  });
});
