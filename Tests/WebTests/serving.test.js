import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Agent, get } from "node:http";
import { Agent as EncryptedAgent, get as getEncrypted } from "node:https";
import { describe, test } from "./support/testing.js";
import { gunzipSync } from "node:zlib";
import { missing, Server } from "./support/Server.js";

/** A file of a server, and how much of it was on the wire. */
function load(url, { agent, ...headers } = {}) {
  const how = { agent, headers: { "accept-encoding": "gzip", ...headers } };
  return new Promise((resolve, reject) => {
    (url.startsWith("https:") ? getEncrypted : get)(url, how, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("end", () => {
        const { statusCode: status, headers } = response;
        const bytes = Buffer.concat(pieces);
        const isGzip = headers["content-encoding"] === "gzip" && bytes.length > 0;
        resolve({ status, headers, size: bytes.length, body: isGzip ? gunzipSync(bytes) : bytes });
      });
    }).on("error", reject);
  });
}

/** What a page refers to, as URLs, each once. */
function references(page, url) {
  const found = String(page.body).matchAll(/(?:src|href)="([^"#]+)"/g);
  return [...new Set([...found].map(([, reference]) => String(new URL(reference, url))))];
}

describe("what a server serves to browsers", { skip: missing }, () => {
  for (const [name, path, options] of [
    ["the board", "", {}],
    ["a board by its name", "b/team", {}],
    ["the devtools", "devtools/", {}],
    ["a document", "", { document: {} }],
    ["an encrypted board", "", { isEncrypted: true }],
  ]) {
    test(`${name} is few files on one connection, and asked for once`, async () => {
      const server = await Server.start(options);
      const one = { keepAlive: true, maxSockets: 1 };
      const agent = server.root ? new EncryptedAgent({ ...one, ca: server.root }) : new Agent(one);
      const sockets = new Set();
      agent.on("free", (socket) => sockets.add(socket.localPort));
      const url = `${server.url.replace("ws", "http")}${path}`;
      const page = await load(url, { agent });
      assert.equal(page.status, 200);
      const files = await Promise.all(references(page, url).map((url) => load(url, { agent })));
      assert(files.length >= 3);
      // The page and its socket are two more; a service worker may be the eighth.
      assert(files.length <= 5, `${files.length} files`);
      let size = page.size;
      for (const file of files) {
        assert.equal(file.status, 200);
        assert.match(file.headers["cache-control"], /max-age=31536000, immutable/);
        size += file.size;
      }
      assert(size < 120_000, `${size} bytes`);
      assert.equal(sockets.size, 1);
      // The next time only the page is asked for, and isn't sent again.
      assert.equal(page.headers["cache-control"], "no-cache");
      const again = await load(url, { agent, "if-none-match": page.headers.etag });
      assert.equal(again.status, 304);
      assert.equal(again.size, 0);
      assert.match(page.headers["content-security-policy"], /^default-src 'self'; /);
      agent.destroy();
      await server.stop();
    });
  }

  test("what is compressed is what isn't", async () => {
    const server = await Server.start();
    const url = `http://127.0.0.1:${server.port}/`;
    for (const file of [url, ...references(await load(url), url), `${url}storecast/index.js`]) {
      const [short, long] = [await load(file), await load(file, { "accept-encoding": "identity" })];
      assert.deepEqual(short.body, long.body, file);
      assert.equal(long.headers["content-encoding"], undefined);
      assert(short.headers["content-encoding"] === undefined || short.size < long.size, file);
    }
    await server.stop();
  });

  test("what the board's service worker is told to keep is what is served", async () => {
    const server = await Server.start();
    const url = `http://127.0.0.1:${server.port}`;
    const worker = await load(`${url}/service-worker.js`);
    assert.equal(worker.headers["cache-control"], "no-cache");
    const [, list] = /^self\.pages = (.*);\n/.exec(String(worker.body));
    const pages = JSON.parse(list);
    assert.deepEqual(pages.find(({ path }) => path === "/").under, ["/b/"]);
    const board = references(await load(`${url}/`), url);
    for (const file of board) assert(pages.some(({ path }) => url + path === file), file);
    for (const { path, hash } of pages) {
      const { body } = await load(url + path);
      assert.equal(createHash("sha256").update(body).digest("hex"), hash, path);
    }
    await server.stop();
  });

  test("the client is one module, of less than 25 KB", async () => {
    const server = await Server.start({ document: {} });
    const { size, body } = await load(`http://127.0.0.1:${server.port}/storecast/index.js`);
    assert(size < 25 * 1024, `${size} bytes`);
    assert.doesNotMatch(String(body), /(from|import) ?"/);
    const module = `data:text/javascript;base64,${body.toString("base64")}`;
    assert.equal(typeof (await import(module)).connect, "function");
    await server.stop();
  });
});
