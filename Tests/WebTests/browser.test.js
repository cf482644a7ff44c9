import assert from "node:assert/strict";
import { after, before, describe, test } from "./support/testing.js";
import { connect } from "../../Clients/Web/storecast/index.js";
import { Browser, missing as noBrowser } from "./support/Browser.js";
import { Line, missing as noServer, Server, WebSocket } from "./support/Server.js";

const document = { votes: { tea: 0 } };

/** What every page of these tests has. */
const script = (url, options) => `
  globalThis.connection = storecast.connect("${url}", ${options});
  globalThis.votes = connection.select("value", { path: "/votes" }, {
    optimistic: (votes, { payload }) => ({ ...votes, tea: votes.tea + payload.by }),
  });
  globalThis.vote = () =>
    connection.dispatch({ type: "increment", payload: { path: "/votes/tea", by: 1 } });
  globalThis.until = (isSo) => new Promise((resolve, reject) => {
    const check = () => isSo() && resolve();
    setTimeout(() => reject(new Error("It did not come to be.")), 10000);
    connection.subscribe(check);
    votes.subscribe(check);
    check();
  });
  until(() => connection.status.state === "live" && votes.getState())`;

/** How many dispatches an outbox holds, when everything that was begun is written. */
/** How many dispatches are stored for a URL; pages of other tests may have left some of theirs. */
const stored = {
  indexedDBOutbox: (url) => `new Promise((resolve) => {
    const opening = indexedDB.open("storecast");
    opening.onsuccess = () => {
      const dispatches = opening.result.transaction("dispatches").objectStore("dispatches");
      dispatches.getAllKeys().onsuccess = ({ target }) =>
        resolve(target.result.filter(([slot]) => slot.includes("${url}")).length);
    };
  })`,
  localStorageOutbox: () =>
    "Object.values(localStorage).filter((text) => text.includes('seq')).length",
};

describe("in a browser", { skip: noBrowser ?? noServer }, () => {
  let browser;
  let server;
  before(async () => {
    browser = await Browser.start();
  });
  after(() => browser?.stop());

  for (const tabs of [false, true]) {
    const how = tabs ? "of tabs that share a connection" : "with a connection of its own";
    test(`what was acknowledged is there when the page is loaded again, ${how}`, async () => {
      server = await Server.start({ document });
      const line = await Line.to(server.port);
      const options = `{
        outbox: storecast.indexedDBOutbox("${how}"),
        cache: { storage: storecast.indexedDBCache(), viewer: "${how}" },
        tabs: ${tabs},
      }`;
      const page = await browser.open();
      await page.run(script(line.url, options));
      await page.run("connection.saveCache()");
      await page.run("vote()");
      line.stop();
      await page.reload();
      void page.run(script(line.url, options)).catch(() => {});
      await page.run("until(() => votes.getState())");
      assert.equal(await page.run("votes.getState().tea"), 1);
      await page.close();
      await server.stop();
    });
  }

  for (const outbox of ["indexedDBOutbox", "localStorageOutbox"]) {
    test(`what is dispatched offline outlives the page, in ${outbox}`, async () => {
      server = await Server.start({ document });
      const line = await Line.to(server.port);
      const page = await browser.open();
      await page.run(script(line.url, `{ outbox: storecast.${outbox}() }`));
      await page.run("vote()");
      line.stop();
      await page.run("until(() => connection.status.state === 'offline')");
      await page.run("void [vote(), vote(), vote()]");
      assert.equal(await page.run("votes.getState().tea"), 4);
      assert.equal(await page.run(stored[outbox](line.url)), 3);
      await page.reload();
      void page.run(script(line.url, `{ outbox: storecast.${outbox}() }`)).catch(() => {});
      await page.run("until(() => connection.pendingCount === 3)");
      assert.equal(await page.run("connection.outboxProblem"), undefined);
      await line.start();
      await page.run("connection.reconnect()");
      await page.run("until(() => connection.pendingCount === 0 && votes.getState())");
      assert.deepEqual(await page.run("[votes.getState().tea, votes.position.version]"), [4, 4]);
      await page.close();
      line.stop();
      await server.stop();
    });

    test(`two tabs are two clients, and the one that stays is served, in ${outbox}`, async () => {
      server = await Server.start({ document });
      const pages = [await browser.open(), await browser.open()];
      const options = `{ outbox: storecast.${outbox}() }`;
      for (const page of pages) await page.run(script(server.url, options));
      await Promise.all(pages.map((page) => page.run("Promise.all([vote(), vote()])")));
      for (const page of pages) {
        await page.run("until(() => votes.getState().tea === 4)");
        assert.equal(await page.run("connection.status.state"), "live");
        assert.equal(await page.run("connection.outboxProblem"), undefined);
      }
      for (const page of pages) await page.close();
      await server.stop();
    });
  }

  test("what the browser can't keep is told, and isn't sent", async () => {
    server = await Server.start({ document });
    const page = await browser.open();
    await page.run(script(server.url, "{ outbox: storecast.indexedDBOutbox() }"));
    await page.run(`
      const begin = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (...parameters) {
        const transaction = begin.apply(this, parameters);
        queueMicrotask(() => transaction.abort());
        return transaction;
      };
      void vote();
      until(() => connection.outboxProblem?.code === "outbox-unwritable")`);
    assert.equal(await page.run("votes.getState().tea"), 1);
    assert.equal(await page.run("votes.position.version"), 0);
    assert.equal(await page.run("connection.pendingCount"), 1);
    await page.close();
    await server.stop();
  });

  test("listeners hear behind each message, where they are to", async () => {
    server = await Server.start({ document });
    const page = await browser.open();
    await page.run(`
      globalThis.eager = storecast.connect("${server.url}", { notify: "microtask" });
      globalThis.tea = eager.select("value", { path: "/votes/tea" });
      new Promise((resolve, reject) => {
        tea.subscribe(() => tea.getState() === 0 && resolve());
        setTimeout(() => reject(new Error("Nothing came.")), 10000);
      })`);
    await page.run(`
      globalThis.heard = [];
      tea.subscribe(() => heard.push(tea.getState()));
      const more = { type: "increment", payload: { path: "/votes/tea", by: 1 } };
      eager.dispatch(more).then(() => eager.dispatch(more))`);
    assert.deepEqual(await page.run("heard"), [1, 2]);
    await page.close();
    await server.stop();
  });

  test("listeners hear once per frame while a thousand patches come", async (context) => {
    server = await Server.start({ document });
    const page = await browser.open();
    await page.run(script(server.url, "{ outbox: storecast.localStorageOutbox() }"));
    await page.run(`
      globalThis.counts = { heard: 0, frames: 0, patches: 0 };
      votes.subscribe(() => (counts.heard += 1));
      const draw = () => { counts.frames += 1; requestAnimationFrame(draw); };
      requestAnimationFrame(draw);`);
    const busy = connect(server.url, { WebSocket });
    // Also if it fails: a connection that is open keeps the process.
    context.after(() => busy.close());
    const action = { type: "increment", payload: { path: "/votes/tea", by: 1 } };
    const count = 1000;
    for (let number = 0; number < count; number += 1) await busy.dispatch(action);
    await page.run(`until(() => votes.getState().tea === ${count})`);
    const { heard, frames } = await page.run("counts");
    context.diagnostic(`${count} patches, ${frames} frames, ${heard} calls`);
    assert(heard > 1 && heard <= frames + 1);
    await page.close();
    await server.stop();
  });
});
