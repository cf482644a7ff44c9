import { connect, indexedDBOutbox } from "../storecast/index.js";
import { showStatus } from "../parts/connectionStatus.js";
import { byId } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { Tree } from "./Tree.js";

// Nothing else: "//" would begin another server's name.
const asked = new URLSearchParams(location.search).get("room") ?? "/";
const room = /^(\/[\w.~-]+)+$/.test(asked) ? asked : "/";
const connection = connect(room, {
  outbox: indexedDBOutbox(room === "/" ? "document" : `document ${room}`),
  onRejected: (rejection, action) => notify(`The ${action.type} was refused: ${rejection.message}`),
});
showStatus(connection);

const tree = new Tree(byId("tree"), (path, value) => {
  byId("path").value = path;
  byId("value").value = JSON.stringify(value, undefined, 2);
  byId("value").focus();
});
const whole = connection.select("value", { path: "" });
whole.subscribe(() => {
  if (whole.problem) notify(`The document can't be shown: ${whole.problem.message}`);
  else tree.show(whole.getState());
});

const hasNoValue = () => byId("action").value === "remove";
byId("action").onchange = () => (byId("value").disabled = hasNoValue());
byId("edit").onsubmit = (/** @type {Event} */ event) => {
  event.preventDefault();
  const type = byId("action").value;
  /** @type {Record<string, unknown>} */
  const payload = { path: byId("path").value };
  try {
    const name = type === "increment" ? "by" : "value";
    if (!hasNoValue()) payload[name] = JSON.parse(byId("value").value);
    void connection.dispatch({ type, payload });
  } catch (error) {
    notify(`The value isn't JSON: ${/** @type {Error} */ (error).message}`);
  }
};
