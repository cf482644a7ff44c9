import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { missing, Package } from "./support/Package.js";

const web = fileURLToPath(new URL("../../Clients/Web/", import.meta.url));
const budget = 25 * 1024;

describe("the package", { skip: missing }, () => {
  let made;
  before(() => (made = new Package()));
  after(() => made.remove());

  /** The files of a folder and of those in it, by their paths from there. */
  const files = (folder) =>
    readdirSync(folder, { recursive: true })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort();
  const manifest = () => JSON.parse(readFileSync(join(made.installed, "package.json"), "utf8"));

  /** What a program prints that is beside the package. */
  const run = (program) => {
    const options = ["--input-type=module", "-e", program];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { cwd: made.folder });
    assert.equal(status, 0, String(stderr));
    return String(stdout).trim();
  };

  test("is the same bytes every time it is made", () => {
    const again = new Package();
    assert.deepEqual(readFileSync(again.tarball), readFileSync(made.tarball));
    again.remove();
  });

  test("has every module, the license and what it is about, and nothing of how it is made", () => {
    const inside = files(made.installed);
    const dist = ["dist/storecast.min.js", "dist/storecast.min.js.map"];
    const sources = files(join(web, "storecast"));
    const wanted = sources.filter((file) => !/^surroundings\/|^tsconfig\.json$/.test(file));
    assert.deepEqual(inside, [...wanted, ...dist, "LICENSE"].sort());
    const license = readFileSync(join(made.installed, "LICENSE"), "utf8");
    assert.equal(license, readFileSync(join(web, "../../LICENSE"), "utf8"));
    assert.equal(manifest().sideEffects, false);
  });

  const noNpm = spawnSync("npm", ["--version"]).status !== 0 && "needs npm";
  test("is what npm would pack, and installs", { skip: noNpm }, () => {
    const options = ["--json", "--offline", "--cache", join(made.folder, "cache")];
    const stdio = ["ignore", "pipe", "pipe"];
    const npm = (cwd, ...words) =>
      JSON.parse(execFileSync("npm", [...words, ...options], { cwd, stdio }));
    const [packed] = npm(made.installed, "pack", "--dry-run");
    assert.deepEqual(packed.files.map(({ path }) => path).sort(), files(made.installed));
    const program = mkdtempSync(join(tmpdir(), "storecast-program-"));
    writeFileSync(join(program, "package.json"), '{"private":true}');
    npm(program, "install", "--no-audit", "--no-fund", made.tarball);
    assert.deepEqual(files(join(program, "node_modules/storecast")), files(made.installed));
    rmSync(program, { recursive: true });
  });

  test("has modules behind all its entry points, and types beside them", () => {
    for (const [name, entry] of Object.entries(manifest().exports)) {
      for (const path of typeof entry === "string" ? [entry] : Object.values(entry)) {
        assert(existsSync(join(made.installed, path)), `${name}: ${path}`);
      }
    }
  });

  test("is imported by name, in node", () => {
    const shown = run(`
      const names = ["storecast", "storecast/svelte", "storecast/node", "storecast/testing"];
      const modules = await Promise.all(names.map((name) => import(name)));
      const min = await import("storecast/storecast.min.js");
      const [all, some] = [modules[0], min].map((module) => Object.keys(module).sort().join());
      const room = new modules[3].TestRoom({
        state: 1,
        reduce: (state) => state + 1,
        selections: { all: (state) => state },
      });
      const connection = room.connect();
      await connection.dispatch({ type: "more" });
      console.log(all === some, await connection.once("all"), typeof modules[2].fileOutbox);`);
    assert.equal(shown, "true 2 function");
    assert.match(
      spawnSync(process.execPath, ["-e", 'import("storecast/session/Mirror.js")'], {
        cwd: made.folder,
        encoding: "utf8",
      }).stderr,
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    );
  });

  test("leaves nothing in a program that uses nothing of it", () => {
    const entry = join(made.folder, "nothing.js");
    const imports = ["", "/testing", "/svelte"].map(
      (name, place) => `import * as unused${place} from "storecast${name}";`,
    );
    writeFileSync(entry, imports.join("\n"));
    assert.equal(String(made.bundle(entry, "--minify")).trim(), "");
    writeFileSync(entry, 'export { Rejection } from "storecast";');
    assert(made.bundle(entry, "--minify").length < 1000);
  });

  test(`has a minified module of at most ${budget} bytes when compressed`, (context) => {
    const code = readFileSync(join(made.installed, "dist/storecast.min.js"));
    const compressed = gzipSync(code, { level: 9 }).length;
    context.diagnostic(`storecast.min.js: ${code.length} bytes, ${compressed} with gzip`);
    assert(compressed <= budget, `${compressed} bytes`);
    assert(code.length > 20_000);
  });

  test("has a map that leads from the minified module to the sources", () => {
    const code = readFileSync(join(made.installed, "dist/storecast.min.js"), "utf8");
    assert(code.endsWith("//# sourceMappingURL=storecast.min.js.map\n"));
    const map = JSON.parse(readFileSync(join(made.installed, "dist/storecast.min.js.map"), "utf8"));
    assert(map.sources.includes("storecast/connection/Connection.js"));
    for (const [place, source] of map.sources.entries()) {
      assert.equal(map.sourcesContent[place], readFileSync(join(web, source), "utf8"), source);
    }
  });
});

describe("Clients/Web/bundle", { skip: missing }, () => {
  test("makes a module of the client and of each page, wherever it writes them", () => {
    const place = mkdtempSync(join(tmpdir(), "storecast-bundles-"));
    const folders = ["a", "b/c"].map((name) => join(place, name));
    for (const folder of folders) execFileSync(join(web, "bundle"), [folder]);
    const names = ["board.js", "devtools.js", "document.js", "storecast.min.js"];
    const wanted = names.flatMap((name) => [name, `${name}.map`]);
    for (const folder of folders) assert.deepEqual(readdirSync(folder).sort(), wanted);
    for (const name of wanted) {
      const [one, other] = folders.map((folder) => readFileSync(join(folder, name), "utf8"));
      assert.equal(one, other);
      assert(!one.includes(relative("/", web)), "no path of this machine");
    }
    rmSync(place, { recursive: true });
  });
});
