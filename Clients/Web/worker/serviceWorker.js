// Keeps the server's pages for when there is no server. The server puts in front of it what there
// is to keep, so that these bytes are others when a file is:
//
//   self.pages = [{ "path": "/", "hash": "<SHA-256, hex>", "under": ["/b/"] }, …];
//
// Each page goes on with the files that it was loaded with, whatever has become of them since: all
// of a version are kept as long as a page has it. What isn't in the list is none of its business.
// Where the browser can't keep or find something, as when the disk is full, the server is asked.

/** @type {{ path: string, hash: string, under?: string[] }[]} */
const pages = Array.isArray(self.pages) ? self.pages.slice(0, 1000) : [];
/** An origin may have other workers, of other folders. */
const { scope } = self.registration;
const prefix = `storecast-pages ${scope} `;
/** Which version each page has. */
const records = `storecast-clients ${scope}`;
/** A page that is about to be loaded isn't among the clients yet. */
const grace = 60_000;

const version = digest(new TextEncoder().encode(JSON.stringify(pages)));

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { method, mode, destination, url } = event.request;
  if (method !== "GET" || new URL(url).origin !== location.origin) return;
  if (mode === "navigate" && destination === "document") event.respondWith(open(event));
  else if (mode !== "navigate" && destination !== "") event.respondWith(load(event));
});
self.addEventListener("message", ({ data, source }) => {
  if (data?.storecast === "version" && source) void tell(source);
});

/** All files, or nothing: what has changed meanwhile belongs to the next version. */
async function install() {
  const name = prefix + (await version);
  const cache = await caches.open(name);
  try {
    await Promise.all(pages.map((page) => keep(cache, page)));
    // An earlier worker may have taken it for one that no page has.
    if (!(await caches.has(name))) throw new Error("The version was taken away.");
  } catch (problem) {
    await caches.delete(name);
    throw problem;
  }
  // Pages of the last version keep their files, so nobody has to wait for them.
  await self.skipWaiting();
}

async function keep(cache, { path, hash }) {
  const response = await fetch(path, { cache: "no-cache", redirect: "error" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  const found = await digest(await response.clone().arrayBuffer());
  if (found !== hash) throw new Error(`${path} is of another version.`);
  await cache.put(path, response);
}

async function activate() {
  // A server that doesn't want it any more.
  if (pages.length === 0) {
    for (const name of await caches.keys()) if (isOurs(name)) await caches.delete(name);
    await self.registration.unregister();
    return;
  }
  await self.clients.claim();
  const own = prefix + (await version);
  const isFirst = (await caches.keys()).every((name) => name === own || !name.startsWith(prefix));
  for (const client of await self.clients.matchAll({ type: "window" })) {
    // It came from the server, just now.
    if (isFirst) await note(client.id);
    else await tell(client);
  }
  await clean();
}

/** Says so to a page that has files of an older version. */
async function tell(client) {
  const its = await versionOf(client.id);
  if (its === undefined || its === (await version)) return;
  client.postMessage({ storecast: "new-version" });
}

/** A page is opened, in the newest version. */
async function open({ request, resultingClientId }) {
  const { pathname } = new URL(request.url);
  const page =
    pages.find(({ path }) => path === pathname) ??
    pages.find(({ under = [] }) => under.some((folder) => pathname.startsWith(folder)));
  const kept = page && (await find(page.path, await version));
  if (!kept) return fetch(request);
  try {
    await clean();
    await note(resultingClientId);
  } catch (problem) {
    // It has the newest version for as long as there is no newer one.
    console.warn(`storecast: which version a page has can't be kept: ${problem}`);
  }
  return kept;
}

/** A page loads a file, of its own version. */
async function load({ request, clientId }) {
  const its = (await versionOf(clientId)) ?? (await version);
  return (await find(new URL(request.url).pathname, its)) ?? fetch(request);
}

/** What is kept at a path; undefined if nothing is, or the browser can't say. */
async function find(path, version) {
  return caches.match(path, { cacheName: prefix + version }).catch(() => undefined);
}

/** A page has this version, from now on: browsers end workers, and start others, at any time. */
async function note(id) {
  const clients = await caches.open(records);
  const headers = { born: String(Date.now()) };
  await clients.put(recordOf(id), new Response(await version, { headers }));
}

/** Forgets pages that are closed, and the versions that no page has. */
async function clean() {
  const clients = await caches.open(records);
  const used = new Set([prefix + (await version), records]);
  for (const record of await clients.keys()) {
    const id = new URL(record.url).searchParams.get("client");
    const its = await clients.match(record);
    const isYoung = Date.now() - Number(its?.headers.get("born")) < grace;
    if (isYoung || (await self.clients.get(id))) used.add(prefix + (await its?.text()));
    else await clients.delete(record);
  }
  const names = await caches.keys();
  // One that is about to begin has a version that no page has yet, and cleans then.
  if (self.registration.installing || self.registration.waiting) return;
  for (const name of names) if (isOurs(name) && !used.has(name)) await caches.delete(name);
}

/** Undefined if nobody knows. */
async function versionOf(id) {
  const its = caches.match(recordOf(id), { cacheName: records }).catch(() => undefined);
  return (await its)?.text();
}

function recordOf(id) {
  return `/?client=${encodeURIComponent(id)}`;
}

function isOurs(name) {
  return name.startsWith(prefix) || name === records;
}

/** SHA-256, in hex. */
async function digest(bytes) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
