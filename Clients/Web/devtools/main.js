import { connect } from "../storecast/index.js";
import { Devtools } from "./Devtools.js";
import { byID, element } from "./elements.js";

const tokenKey = "storecast-devtools-token";

/**
 * Takes the token out of the URL's fragment, which browsers don't send. It lasts as long as the
 * tab: it isn't written to the disk, and doesn't stay in the URL.
 */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return false;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

takeToken();
const connection = connect("/devtools", {
  token: () => sessionStorage.getItem(tokenKey) ?? undefined,
  onRejected: (rejection) => (byID("notice").textContent = rejection.message),
});

const dialog = /** @type {HTMLDialogElement} */ (byID("token"));
const field = element("input", { type: "password", required: true, autocomplete: "off" });
const form = element(
  "form",
  {},
  element("h2", { id: "token-title" }, "Devtools token"),
  element("p", {}, "The server asks for the token that it was started with."),
  element("label", {}, "Token", field),
  element("p", {}, element("button", { type: "submit", class: "primary" }, "Look")),
);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(tokenKey, field.value);
  field.value = "";
  dialog.close();
  connection.reconnect();
});
dialog.append(form);

function showStatus() {
  const { status } = connection;
  let because = "because" in status ? `: ${status.because}` : "";
  if (status.state === "refused" && status.code === "no-room") {
    because = ": this server's devtools are off; `storecast serve --devtools` turns them on";
  }
  byID("status").textContent = `${status.state}${because}`;
  byID("status").className = status.state;
  const isRefused = status.state === "refused";
  if (isRefused && status.code === "unauthenticated" && !dialog.open) dialog.showModal();
}
connection.subscribe(showStatus);
addEventListener("hashchange", () => takeToken() && connection.reconnect());
showStatus();

new Devtools(connection);
