import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { missing as noPackage, Package } from "./support/Package.js";
import { command, missing } from "./support/Server.js";

const module = fileURLToPath(new URL("../../Clients/Web/storecast/", import.meta.url));
const pages = ["board", "document", "parts"].map((name) =>
  fileURLToPath(new URL(`../../Clients/Web/${name}/`, import.meta.url)),
);
const worker = fileURLToPath(new URL("../../Clients/Web/worker/", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const skip = !version() && "needs tsc: apt-get install node-typescript";

function version() {
  try {
    return execFileSync("tsc", ["--version"], { encoding: "utf8" });
  } catch {
    return undefined;
  }
}

function tsc(...options) {
  try {
    return execFileSync("tsc", options, { encoding: "utf8" });
  } catch (error) {
    return error.stdout;
  }
}

const options = ["--strict", "--noEmit", "--target", "ES2022", "--moduleResolution", "node"];

/** As much of Vue's types as there has to be, where a program in `folder` looks for them. */
function installVue(folder) {
  const place = join(folder, "node_modules/vue");
  mkdirSync(place, { recursive: true });
  cpSync(join(module, "surroundings/vue.d.ts"), join(place, "index.d.ts"));
  writeFileSync(join(place, "package.json"), '{"types":"index.d.ts"}');
}

/** The files of a folder and of those in it, by their paths from there. */
function files(folder, within = "") {
  return readdirSync(join(folder, within)).flatMap((name) => {
    const path = join(within, name);
    return statSync(join(folder, path)).isDirectory() ? files(folder, path) : [path];
  });
}

describe("the module's types", { skip }, () => {
  test("are right, and those beside it are what tsc makes of it", () => {
    const fresh = mkdtempSync(join(tmpdir(), "storecast-types-"));
    assert.equal(tsc("-p", module, "--outDir", fresh), "");
    assert.deepEqual(files(join(module, "types")).sort(), files(fresh).sort());
    for (const file of files(fresh)) {
      const made = readFileSync(join(fresh, file), "utf8");
      const kept = readFileSync(join(module, "types", file), "utf8");
      assert.equal(kept, made, `${file}: run tsc -p Clients/Web/storecast`);
    }
    rmSync(fresh, { recursive: true });
  });

  test("are those that the pages take for granted", () => {
    const check = ["--allowJs", "--checkJs", "--exactOptionalPropertyTypes", "--module", "ES2022"];
    const scripts = pages.map((folder) => join(folder, "main.js")).filter(existsSync);
    assert.equal(tsc(...options, ...check, ...scripts), "");
    assert.equal(scripts.length, 2);
  });

  test("let an editor know a room, and refuse what it doesn't have", () => {
    assert.equal(tsc(...options, join(here, "support/RoomTypes.ts")), "");
  });

  test("know the rows, ids and pages of tables", () => {
    assert.equal(tsc(...options, join(here, "support/RowTypes.ts")), "");
  });

  test("let hooks, composables and rooms in memory know a room", () => {
    const made = mkdtempSync(join(tmpdir(), "storecast-types-"));
    installVue(made);
    const program = readFileSync(join(here, "support/FrameworkTypes.ts"), "utf8");
    cpSync(module, join(made, "storecast"), { recursive: true });
    const found = program.replaceAll("../../../Clients/Web/storecast", "./storecast");
    writeFileSync(join(made, "program.ts"), found);
    assert.equal(tsc(...options, join(made, "program.ts")), "");
    rmSync(made, { recursive: true });
  });

  test("are found by the package's entry points", { skip: noPackage }, () => {
    const made = new Package();
    const names = ["", "/react", "/vue", "/svelte", "/node", "/testing", "/storecast.min.js"];
    const lines = names.map((name, place) => `import * as m${place} from "storecast${name}";`);
    const uses = `m0.connect; m1.createHooks; m2.install; m3.readable; m4.fileOutbox; m5.TestRoom;`;
    const program = join(made.folder, "program.ts");
    writeFileSync(program, `${lines.join("\n")}\n${uses} m6.connect;`);
    writeFileSync(join(made.folder, "package.json"), '{"type":"module"}');
    installVue(made.folder);
    const node16 = ["--strict", "--noEmit", "--target", "ES2022", "--module", "node16"];
    assert.equal(tsc(...node16, program), "");
    // By the files beside the modules, where package.json's exports aren't read.
    writeFileSync(program, `${lines.slice(0, 6).join("\n")}\n${uses}`);
    assert.equal(tsc(...options, "--module", "ES2022", program), "");
    made.remove();
  });

  test("are made of a Swift server's own", { skip: missing }, () => {
    const made = mkdtempSync(join(tmpdir(), "storecast-types-"));
    const program = readFileSync(join(here, "support/BoardTypes.ts"), "utf8");
    const client = join(module, "types/index");
    writeFileSync(join(made, "board.ts"), execFileSync(command, ["types"]));
    writeFileSync(
      join(made, "program.ts"),
      program.replace("../../../Clients/Web/storecast", client).replace("./made/board", "./board"),
    );
    assert.equal(tsc(...options, join(made, "program.ts")), "");
    rmSync(made, { recursive: true });
  });
});

describe("the programs of Docs/Web.md", { skip: skip || missing }, () => {
  const page = readFileSync(new URL("../../Docs/Web.md", import.meta.url), "utf8");
  const programs = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text);
  const made = mkdtempSync(join(tmpdir(), "storecast-types-"));
  cpSync(module, join(made, "storecast"), { recursive: true });
  writeFileSync(join(made, "package.json"), '{"type":"module"}');
  writeFileSync(join(made, "board.ts"), missing ? "" : execFileSync(command, ["types"]));
  const names = programs.map((text, index) => {
    writeFileSync(join(made, `${index}.ts`), text);
    return join(made, `${index}.ts`);
  });
  installVue(made);
  after(() => rmSync(made, { recursive: true }));

  for (const [resolution, kind] of [["node", "ES2022"], ["node16"], ["nodenext"]]) {
    test(`compile with strict and moduleResolution ${resolution}`, () => {
      assert(names.length >= 3);
      const found = ["--moduleResolution", resolution, "--module", kind ?? resolution];
      assert.equal(tsc("--strict", "--noEmit", "--target", "ES2022", ...found, ...names), "");
    });
  }
});

/** What a file may need besides: that of which it is the entry point. */
function surroundings(file) {
  const [, name = ""] = /storecast\/(react|vue|node)(?:\.js|\/)/.exec(file) ?? [];
  return new RegExp(name === "node" ? "^node:" : `^${name || "(?!)"}$`);
}

describe("the module's and the pages' files", () => {
  const sources = [module, ...pages, worker, here].flatMap((folder) =>
    files(folder).filter((file) => file.endsWith(".js")).map((file) => join(folder, file)),
  );

  test("have lines of at most 100 columns, and need nothing but each other", () => {
    for (const file of sources) {
      const lines = readFileSync(file, "utf8").split("\n");
      for (const [place, line] of lines.entries()) {
        assert(line.length <= 100, `${file}:${place + 1} is ${line.length} wide`);
        const [, needed = "./"] = /^(?:import|export) .*from "([^"]*)"/.exec(line) ?? [];
        const isOurs = file.startsWith(here) || needed.startsWith(".");
        assert(isOurs || surroundings(file).test(needed), `${file} needs ${needed}`);
      }
    }
    assert(sources.length > 30);
  });
});
