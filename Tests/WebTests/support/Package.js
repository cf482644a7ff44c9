import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const pack = fileURLToPath(new URL("../../../Clients/Web/pack", import.meta.url));

/** Why there can be no package; undefined if there can. */
export const missing = existsSync("/usr/bin/esbuild")
  ? undefined
  : "needs esbuild: apt-get install esbuild";

/** A folder of a program that has the package installed, as npm lays it. */
export class Package {
  folder = mkdtempSync(join(tmpdir(), "storecast-package-"));

  constructor() {
    execFileSync(pack, [this.folder], { stdio: ["ignore", "ignore", "inherit"] });
    const name = readdirSync(this.folder).find((name) => name.endsWith(".tgz"));
    this.tarball = join(this.folder, name);
    this.installed = join(this.folder, "node_modules/storecast");
    mkdirSync(this.installed, { recursive: true });
    const how = ["--strip-components=1", "-C", this.installed];
    execFileSync("tar", ["-xzf", this.tarball, ...how]);
  }

  /** What esbuild makes of a program's file, with Debian's packages. */
  bundle(file, ...options) {
    const env = { ...process.env, NODE_PATH: "/usr/share/nodejs" };
    const how = ["--bundle", "--format=esm", "--log-level=warning", ...options];
    return execFileSync("esbuild", [file, ...how], { cwd: this.folder, env, maxBuffer: 64 << 20 });
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }
}
