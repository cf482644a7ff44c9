import { byId } from "./element.js";
import { announce } from "./notices.js";

/**
 * Shows how a connection is doing: a word at the top, and a banner while it isn't live.
 *
 * @param {import("../storecast/index.js").Connection<any>} connection
 */
export function showStatus(connection) {
  let timer = 0;
  let lastState = "";
  const show = () => {
    const { state } = connection.status;
    const waiting = connection.pendingCount;
    const status = byId("status");
    status.dataset.state = state === "live" && waiting > 0 ? "waiting" : states[state];
    status.textContent = words(state, waiting);
    byId("banner-text").textContent = banner(connection.status, waiting);
    byId("banner").hidden = state === "live" || state === "connecting";
    if (state !== lastState && lastState !== "") announce(words(state, waiting));
    if (state !== "connecting") lastState = state;
    clearInterval(timer);
    if (state === "offline") timer = setInterval(show, 1000);
  };
  byId("reconnect").addEventListener("click", () => connection.reconnect());
  connection.subscribe(show);
  show();
}

const states = { connecting: "", live: "live", offline: "offline", refused: "offline", closed: "offline" };

/**
 * @param {string} state
 * @param {number} waiting
 */
function words(state, waiting) {
  if (state === "connecting") return "Connecting…";
  if (state === "live") return waiting > 0 ? `Saving ${waiting}…` : "Live";
  return state === "offline" ? "Offline" : "Not connected";
}

/**
 * @param {import("../storecast/index.js").Status} status
 * @param {number} waiting
 */
function banner(status, waiting) {
  const changes = waiting === 1 ? "1 change waits" : `${waiting} changes wait`;
  const rest = waiting > 0 ? ` ${changes} here to be sent.` : " You can go on: nothing is lost.";
  if (status.state === "refused") return `The server refuses the connection: ${status.because}${rest}`;
  if (status.state !== "offline") return "";
  const seconds = Math.max(0, Math.round((status.retryAt - Date.now()) / 1000));
  const retry = seconds > 0 ? `trying again in ${seconds} s.` : "trying again…";
  return `No connection to the server, ${retry}${rest}`;
}
