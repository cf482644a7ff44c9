import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { keepPages } from "../../Clients/Web/worker/keepPages.js";
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

describe("keeping pages", () => {
  const origin = "https://board.example";
  const worker = `${origin}/service-worker.js`;

  /** A page whose origin answers so when it is asked for the worker, and what it keeps then. */
  async function keeping(context, answer) {
    const left = { workers: [worker, `${origin}/other.js`], caches: ["other"] };
    left.caches.push(`storecast-pages ${origin}/ 1`, `storecast-clients ${origin}/`);
    const registration = (scriptURL) => ({
      active: { scriptURL },
      async update() {},
      async unregister() {
        left.workers = left.workers.filter((it) => it !== scriptURL);
      },
    });
    const globals = {
      navigator: {
        serviceWorker: {
          addEventListener() {},
          startMessages() {},
          controller: { postMessage() {} },
          getRegistrations: async () => left.workers.map(registration),
          register: async (url) => registration(new URL(url, origin).href),
        },
      },
      caches: {
        keys: async () => left.caches,
        async delete(name) {
          left.caches = left.caches.filter((it) => it !== name);
        },
      },
      document: { baseURI: `${origin}/`, addEventListener() {} },
      fetch: async (url, { method }) => {
        assert.deepEqual([url, method], ["/service-worker.js", "HEAD"]);
        return answer();
      },
    };
    for (const [name, value] of Object.entries(globals)) {
      const before = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
      context.after(() => {
        if (before) Object.defineProperty(globalThis, name, before);
        else delete globalThis[name];
      });
    }
    return { outcome: await keepPages(), left };
  }

  const html = { headers: { "content-type": "text/html; charset=utf-8" } };
  const withdrawn = {
    "a server that has no worker": () => new Response(null, { status: 404 }),
    "a server that has none any more": () => new Response(null, { status: 410 }),
    "a server with one page for whatever it doesn't know": () => new Response("<p>", html),
  };
  for (const [name, answer] of Object.entries(withdrawn)) {
    test(`ends with ${name}: ours is taken away`, async (context) => {
      const { outcome, left } = await keeping(context, answer);
      assert.equal(outcome, "dropped");
      assert.deepEqual(left, { workers: [`${origin}/other.js`], caches: ["other"] });
    });
  }

  const script = { headers: { "content-type": "text/javascript" } };
  const there = {
    "a server that has the worker": () => new Response("", script),
    "a proxy that asks who it is first, on a page of its own": () =>
      Object.defineProperty(new Response("<p>", html), "redirected", { value: true }),
    "a proxy that doesn't let everybody in": () => new Response("<p>", { ...html, status: 403 }),
    "a server that is being started": () => new Response("<p>", { ...html, status: 503 }),
    "no server": () => {
      throw new TypeError("fetch failed");
    },
  };
  for (const [name, answer] of Object.entries(there)) {
    test(`goes on with ${name}`, async (context) => {
      const { outcome, left } = await keeping(context, answer);
      assert.equal(outcome, "kept");
      assert.equal(left.workers.length, 2);
      assert.equal(left.caches.length, 3);
    });
  }
});
