import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { settle } from "./support/ManualPlatform.js";
import { WorkerOrigin } from "./support/WorkerOrigin.js";

const newer = { "/": "page 2", "/main.js": "script 2" };

/** An origin whose first version is kept. */
async function kept() {
  const origin = new WorkerOrigin();
  const worker = origin.start();
  await worker.install();
  await worker.activate();
  return { origin, worker };
}

describe("a service worker", () => {
  test("opens a page without the server", async () => {
    const { origin, worker } = await kept();
    origin.files = undefined;
    assert.equal(await worker.open("/", "a"), "page 1");
    assert.equal(await worker.load("/main.js", "a"), "script 1");
  });

  test("takes nothing away of a version that is still being fetched", async () => {
    const { origin, worker } = await kept();
    origin.files = newer;
    const next = origin.start();
    const waiting = [];
    origin.turn = () => new Promise((resolve) => waiting.push(resolve));
    const installing = next.install();
    while (waiting.length < 2) await settle();
    assert.equal(await worker.open("/", "a"), "page 1", "a page is opened meanwhile");
    for (const answer of waiting) answer();
    await installing;
    assert.equal(await worker.open("/", "b"), "page 1", "and one before the next worker begins");
    await next.activate();
    origin.files = undefined;
    assert.equal(await next.open("/", "c"), "page 2");
    assert.equal(await next.load("/main.js", "c"), "script 2");
  });

  test("is not to begin if its version was taken away meanwhile", async () => {
    const { origin } = await kept();
    origin.files = newer;
    origin.turn = async () => origin.caches.clear();
    await assert.rejects(origin.start().install());
  });

  test("leaves a page that is about to be loaded its version when the next begins", async () => {
    const { origin, worker } = await kept();
    assert.equal(await worker.open("/", "a"), "page 1");
    origin.files = newer;
    const next = origin.start();
    await next.install();
    await next.activate();
    origin.clients.set("a", { id: "a", postMessage() {} });
    assert.equal(await next.load("/main.js", "a"), "script 1");
  });

  test("takes a version away when the last page that had it is closed", async () => {
    const { origin, worker } = await kept();
    await worker.open("/", "a");
    origin.files = newer;
    const next = origin.start();
    await next.install();
    await next.activate();
    origin.now += 60_000;
    await next.open("/", "b");
    // The pages' versions, and the newest one.
    assert.equal(origin.caches.size, 2);
    assert.equal(await next.load("/main.js", "b"), "script 2");
  });
});
