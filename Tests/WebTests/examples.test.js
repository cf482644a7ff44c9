import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { Browser, missing as noBrowser } from "./support/Browser.js";
import { noReact, noVue, vuePath } from "./support/frameworks/installed.js";
import { compileComponent, runtime } from "./support/frameworks/svelte.js";
import { missing as noPackage, Package } from "./support/Package.js";
import { Line, missing as noServer, Server } from "./support/Server.js";

const examples = fileURLToPath(new URL("../../Clients/Web/examples/", import.meta.url));
const document = { votes: { coffee: 3, tea: 2 }, log: [] };

/** What a page shows, and what somebody does with it. */
const shown = `document.body.innerText.replace(/\\s+/g, " ").trim()`;
const until = (isSo) => `new Promise((resolve, reject) => {
  const check = () => { if (${isSo}) { observer.disconnect(); resolve(); } };
  const observer = new MutationObserver(check);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  setTimeout(() => reject(new Error(${shown})), 20000);
  check();
})`;
const shows = (text) => until(`${shown}.includes("${text}")`);
const vote = `[...document.querySelectorAll("button")]
  .find(({ textContent }) => textContent.includes("tea")).click()`;

describe("the example for", { skip: noBrowser ?? noServer ?? noPackage }, () => {
  let made;
  let browser;
  before(async () => {
    made = new Package();
    const place = join(made.folder, "examples");
    cpSync(examples, place, { recursive: true });
    browser = await Browser.start(place);
  });
  after(async () => {
    await browser?.stop();
    made?.remove();
  });

  /** Puts a package beside the client's that has one file. */
  const install = (name, code) => {
    const folder = join(made.folder, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "index.js"), code);
  };

  /** What a reader of an example's page does, and sees. */
  async function walk(name) {
    const server = await Server.start({ document });
    const line = await Line.to(server.port);
    const open = (url) =>
      browser.openFile(`${name}/index.html?server=${encodeURIComponent(url)}`);
    const [page, other] = [await open(line.url), await open(server.url)];
    try {
      for (const each of [page, other]) await each.run(shows("tea: 2"));
      await page.run(shows("live"));
      await page.run(vote);
      for (const each of [page, other]) await each.run(shows("tea: 3"));
      line.stop();
      await page.run(shows("offline"));
      await page.run(vote);
      await page.run(shows("tea: 4"));
      await page.run(until(`/(offline|connecting), 1 not saved yet/.test(${shown})`));
      assert.match(await other.run(shown), /tea: 3/);
      await line.start();
      await page.run('dispatchEvent(new Event("online"))');
      for (const each of [page, other]) await each.run(shows("tea: 4"));
      await page.run(until(`/live$/.test(${shown})`));
    } finally {
      for (const each of [page, other]) await each.close();
      line.stop();
      await server.stop();
    }
  }

  test("no framework runs from the minified module", async () => {
    const min = join(made.installed, "dist/storecast.min.js");
    copyFileSync(min, join(made.folder, "examples/plain/storecast.min.js"));
    await walk("plain");
  });

  test("React runs with React itself", { skip: noReact }, async () => {
    const options = ["--jsx-factory=createElement", "--outfile=examples/react/main.bundle.js"];
    made.bundle("examples/react/main.jsx", ...options);
    await walk("react");
  });

  test("Vue runs with Vue itself", { skip: noVue }, async () => {
    // What this build of Vue makes of templates looks for it there.
    install("vue", `${readFileSync(vuePath, "utf8")}\nmodule.exports = globalThis.Vue = Vue;`);
    made.bundle("examples/vue/main.js", "--outfile=examples/vue/main.bundle.js");
    await walk("vue");
  });

  test("Svelte runs, with what stands in for its compiler", async () => {
    install("svelte", runtime);
    const component = join(made.folder, "examples/svelte/Votes.svelte");
    writeFileSync(component, compileComponent(readFileSync(component, "utf8")));
    const options = ["--loader:.svelte=js", "--outfile=examples/svelte/main.bundle.js"];
    made.bundle("examples/svelte/main.js", ...options);
    await walk("svelte");
  });
});
