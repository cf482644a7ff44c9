import { byId } from "./element.js";
import { announce } from "./notices.js";

/** @typedef {import("../storecast/index.js").Status} Status */

/**
 * Shows how a connection is doing: a word at the top, and a banner while it is broken.
 *
 * @param {import("../storecast/index.js").Connection<any>} connection
 */
export function showStatus(connection) {
  let timer = 0;
  let told = "";
  /** @type {Exclude<Status, { state: "live" | "connecting" }> | undefined} */
  let outage;
  const show = () => {
    const { status, pendingCount } = connection;
    if (status.state === "live") outage = undefined;
    else if (status.state !== "connecting") outage = status;
    const word = outage ? outageWords[outage.state] : wordFor(status.state, pendingCount);
    byId("status").textContent = word;
    byId("status").dataset.state = outage ? "offline" : pendingCount > 0 ? "waiting" : status.state;
    byId("banner").hidden = !outage;
    byId("banner-text").textContent = outage ? banner(outage, connection) : "";
    const news = outage ? word : status.state;
    if (told && news !== told) announce(word);
    told = news;
    clearInterval(timer);
    if (outage?.state === "offline") timer = setInterval(show, 1000);
  };
  byId("reconnect").addEventListener("click", () => connection.reconnect());
  connection.subscribe(show);
  show();
}

const outageWords = { offline: "Offline", refused: "Not connected", closed: "Not connected" };

/**
 * @param {string} state
 * @param {number} waiting
 */
function wordFor(state, waiting) {
  if (state !== "live") return "Connecting…";
  return waiting > 0 ? `Saving ${waiting}…` : "Live";
}

/**
 * @param {Status} outage
 * @param {import("../storecast/index.js").Connection<any>} connection
 */
function banner(outage, { pendingCount, outboxProblem }) {
  const changes = pendingCount === 1 ? "1 change waits" : `${pendingCount} changes wait`;
  const isKept = outboxProblem ? "keep this page open until then." : "nothing is lost.";
  const rest = `${pendingCount > 0 ? `${changes} here to be sent` : "You can go on"}: ${isKept}`;
  if (outage.state === "refused") return `The server refuses: ${outage.because} ${rest}`;
  const seconds = outage.state === "offline" ? Math.ceil((outage.retryAt - Date.now()) / 1000) : 0;
  const retry = seconds > 0 ? `trying again in ${seconds} s.` : "trying again…";
  return `No connection to the server, ${retry} ${rest}`;
}
