import { existsSync, readdirSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Why there can be no React; undefined if there can. */
export const noReact = ["react", "react-dom", "react-test-renderer"]
  .filter((name) => !existsSync(`/usr/share/nodejs/${name}`))
  .map((name) => `needs ${name}: apt-get install node-${name}`)[0];

const python = fileURLToPath(new URL("../../../../.build/python/lib", import.meta.url));
const inPackage = "site-packages/trame_client/module/vue3-www/vue.global.js";

/** Vue, which the tests' Python packages have. */
export const vuePath = (existsSync(python) ? readdirSync(python) : [])
  .map((version) => join(python, version, inPackage))
  .find(existsSync);

/** Why there can be no Vue; undefined if there can. */
export const noVue = vuePath
  ? undefined
  : "needs Vue: .build/python/bin/pip install -r Tests/BrowserTests/requirements.txt";

// Debian's node looks there by itself.
process.env.NODE_PATH ??= "/usr/share/nodejs";
Module._initPaths();
