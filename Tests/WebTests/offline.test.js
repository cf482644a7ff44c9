import assert from "node:assert/strict";
import { after, before, describe, test } from "./support/testing.js";
import { Browser, missing as noBrowser } from "./support/Browser.js";
import { missing as noServer, PageServer } from "./support/PageServer.js";

const texts = "page.all.getState()";
const isLive = "page.until(() => page.connection.status.state === 'live' && page.all.getState())";
const isOffline = "page.until(() => page.connection.status.state === 'offline')";
const isSaved = "page.until(() => page.connection.pendingCount === 0 && page.all.isLive)";

describe("in a browser, without its server", { skip: noBrowser ?? noServer }, () => {
  let browser;
  let server;
  before(async () => {
    browser = await Browser.start();
  });
  after(async () => {
    await browser?.stop();
    // Of a test that has failed: this program wouldn't end.
    await server?.stop();
  });

  /** A server, and a tab whose page is kept. */
  async function visit() {
    server = new PageServer();
    await server.start();
    const page = await browser.open(server.url);
    assert.equal(await page.run("page.kept"), "kept");
    await page.run("navigator.serviceWorker.ready");
    await page.run(isLive);
    return page;
  }

  test("a page opens with its last state and what waits, which is sent once", async () => {
    const page = await visit();
    await page.run("page.add('online')");
    await page.run("page.connection.saveCache()");
    await server.stop();
    await page.run(isOffline);
    await page.run("void page.add('offline')");
    await page.run("page.until(() => page.connection.pendingCount === 1)");
    await page.reload();
    await page.run("page.until(() => page.all.getState()?.length === 2)");
    assert.deepEqual(await page.run(texts), ["online", "offline"]);
    assert.equal(await page.run("page.all.isLive"), false);
    assert.equal(await page.run("page.kept"), "kept");

    const other = await browser.open(`${server.url}b/ideas?from=mail`);
    await other.run("page.until(() => page.all.getState()?.length === 2)");
    await other.run("void page.add('of another tab')");
    await page.run("page.until(() => page.all.getState()?.length === 3)");
    await server.start();
    await page.run("page.connection.reconnect()");
    for (const tab of [page, other]) await tab.run(isSaved);
    assert.deepEqual(server.room.texts, ["online", "offline", "of another tab"]);
    assert.deepEqual(await other.run(texts), server.room.texts);
    assert.equal(server.room.connections.size, 1, "the tabs share it");
    await page.close();
    await other.close();
    await server.stop();
  });

  test("the tab that stays has the connection, when the one that had it is killed", async () => {
    const page = await visit();
    const other = await browser.open(server.url);
    await other.run(isLive);
    await server.stop();
    await other.run(isOffline);
    await other.run("void (globalThis.outcome = page.add('of the one that stays'))");
    await page.run("void page.add('of the one that goes')");
    const isThere = "page.until(() => page.all.getState().length === 2)";
    for (const tab of [page, other]) await tab.run(isThere);
    const shown = await other.run(texts);
    page.crash();
    await server.start();
    await other.run("outcome");
    await other.run(isSaved);
    assert.deepEqual(server.room.texts, shown);
    await other.close();
    await server.stop();
  });

  test("a page goes on with its own files, and says when there is a newer version", async () => {
    const page = await visit();
    await page.reload();
    server.version = "second";
    await page.run("navigator.serviceWorker.getRegistration().then((it) => void it.update())");
    await page.run("page.until(() => page.isOld)");
    assert.equal(await page.run("page.late().then(({ version }) => version)"), "first");
    assert.equal(await page.run("page.version"), "first");
    const other = await browser.open(server.url);
    assert.equal(await other.run("page.version"), "second");
    assert.equal(await page.run("page.late().then(({ version }) => version)"), "first");
    await page.reload();
    assert.equal(await page.run("page.version"), "second");
    assert.equal(await page.run("page.isOld"), false);
    await page.run(isLive);
    await page.close();
    await other.close();
    await server.stop();
  });

  test("a version that isn't whole is passed over", async () => {
    const page = await visit();
    await page.reload();
    const { version } = server;
    server.version = "torn";
    const worker = await fetch(`${server.url}service-worker.js`).then((it) => it.text());
    server.version = version;
    server.replaced = worker;
    await page.run(`navigator.serviceWorker.getRegistration()
      .then((it) => it.update())
      .then((it) => new Promise((resolve) => {
        const { installing } = it;
        if (!installing) resolve();
        else installing.onstatechange = () => installing.state === "redundant" && resolve();
      }))`);
    server.replaced = undefined;
    await server.stop();
    await page.reload();
    assert.equal(await page.run("page.version"), "first");
    await page.close();
  });

  test("a server that has no worker any more takes it away", async () => {
    const page = await visit();
    await page.reload();
    server.hasWorker = false;
    server.version = "without";
    await page.reload();
    assert.equal(await page.run("page.kept"), "dropped");
    assert.equal(await page.run("caches.keys().then((names) => names.length)"), 0);
    await page.reload();
    assert.equal(await page.run("page.version"), "without");
    await page.close();
    await server.stop();
  });

  test("a page that was there before it was kept is told of a newer version, too", async () => {
    const page = await visit();
    server.version = "second";
    await page.run("navigator.serviceWorker.getRegistration().then((it) => void it.update())");
    await page.run("page.until(() => page.isOld)");
    assert.equal(await page.run("page.late().then(({ version }) => version)"), "first");
    await page.close();
    await server.stop();
  });

  test("a page opens when the browser has no room left", async () => {
    const page = await visit();
    await page.limitStorage(1);
    await page.reload();
    assert.equal(await page.run("page.version"), "first");
    await server.stop();
    await page.reload();
    assert.equal(await page.run("page.version"), "first");
    await page.limitStorage();
    await page.close();
  });

  test("other workers of the same origin stay when it is taken away", async () => {
    const page = await visit();
    const other = "navigator.serviceWorker.getRegistration('/late/')";
    await page.run("page.register('/late.js', { scope: '/late/', type: 'module' })");
    assert.equal(await page.run(`${other}.then((it) => it.scope)`), `${server.url}late/`);
    await page.run("page.dropPages()");
    assert.equal(await page.run(`${other}.then((it) => it?.scope)`), `${server.url}late/`);
    const own = "navigator.serviceWorker.getRegistration('/').then((it) => it === undefined)";
    assert.equal(await page.run(own), true);
    await page.run(`${other}.then((it) => it.unregister())`);
    await page.close();
    await server.stop();
  });

  test("another server at its address that has one page for all takes it away", async () => {
    const page = await visit();
    await page.reload();
    server.hasWorker = false;
    server.fallback = "<title>another</title>";
    await page.reload();
    assert.equal(await page.run("page.kept"), "dropped");
    server.fallback = undefined;
    await page.close();
    await server.stop();
  });

  test("a page has the policy of its newest version, also if only that is another", async () => {
    const page = await visit();
    await page.reload();
    server.policy += "; form-action 'none'";
    await page.run("navigator.serviceWorker.getRegistration().then((it) => void it.update())");
    await page.run("page.until(() => page.isOld)");
    await page.reload();
    const isForbidden = `new Promise((resolve) => {
      addEventListener("securitypolicyviolation", (it) => resolve(it.effectiveDirective));
      document.body.append(Object.assign(document.createElement("form"), { action: "/" }));
      document.querySelector("form").submit();
    })`;
    assert.equal(await page.run(isForbidden), "form-action");
    await page.close();
    await server.stop();
  });
});
