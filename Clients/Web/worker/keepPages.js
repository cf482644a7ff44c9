/** How often a page that stays open asks at most for a newer version, in milliseconds. */
const interval = 600_000;

/**
 * Keeps the page in the browser, with the server's service worker, so that it opens without the
 * server too. If the server has none any more, what was kept is taken away.
 *
 * @param {object} [options]
 * @param {() => void} [options.newVersion]  called when the server has a newer version of the page,
 *     which comes with the next load; this one keeps its files as long as it is open
 * @param {string} [options.worker]  where the server has it
 * @returns {Promise<"kept" | "dropped" | "unavailable">}  `unavailable` in browsers without service
 *     workers, in pages that are neither from `https:` nor from `localhost`, and if the browser or
 *     the server can't just now
 */
export async function keepPages(options = {}) {
  const { newVersion = () => {}, worker = "/service-worker.js" } = options;
  const container = globalThis.navigator?.serviceWorker;
  if (!container) return "unavailable";
  container.addEventListener("message", ({ data }) => {
    if (data?.storecast === "new-version") newVersion();
  });
  container.startMessages();
  if (await isWithdrawn(worker)) {
    await dropPages(worker);
    return "dropped";
  }
  try {
    askAgain(await container.register(trusted(worker), { updateViaCache: "none" }));
  } catch (problem) {
    // Without a server the worker that is there goes on.
    if (!container.controller) {
      console.warn(`storecast: the page isn't kept: ${problem}`);
      return "unavailable";
    }
  }
  container.controller?.postMessage({ storecast: "version" });
  return "kept";
}

/**
 * Takes away what was kept: the page comes from the server again. What other workers of the origin
 * have stays.
 *
 * @param {string} [worker]  where the server has it, or had
 */
export async function dropPages(worker = "/service-worker.js") {
  const script = new URL(worker, document.baseURI);
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  for (const registration of registrations) {
    const { active, waiting, installing } = registration;
    const isOurs = [active, waiting, installing].some((it) => it?.scriptURL === script.href);
    if (isOurs) await registration.unregister();
  }
  const scope = new URL("./", script).href;
  for (const name of (await globalThis.caches?.keys()) ?? []) {
    const isOurs = name.startsWith(`storecast-pages ${scope} `);
    if (isOurs || name === `storecast-clients ${scope}`) await caches.delete(name);
  }
}

/**
 * Whether there is a server, and it has no worker.
 *
 * @param {string} worker
 */
async function isWithdrawn(worker) {
  try {
    const answer = await fetch(worker, { method: "HEAD", cache: "no-store" });
    const { status, redirected, headers } = answer;
    if (status === 404 || status === 410) return true;
    // Another server may be at the address by now, which has one page for all that it doesn't know.
    return answer.ok && !redirected && /^text\/html\b/i.test(headers.get("content-type") ?? "");
  } catch {
    return false;
  }
}

/**
 * For pages that may load no script that they don't vouch for: `require-trusted-types-for`.
 *
 * @param {string} url
 */
function trusted(url) {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  const rules = { createScriptURL: (/** @type {string} */ url) => url };
  return trustedTypes?.createPolicy("storecast-worker", rules).createScriptURL(url) ?? url;
}

/** @param {ServiceWorkerRegistration} registration */
function askAgain(registration) {
  let asked = performance.now();
  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.visibilityState !== "visible" || now - asked < interval) return;
    asked = now;
    // Without a server, the next time.
    registration.update().catch(() => {});
  });
}
