import { avatar, shownName } from "../parts/avatar.js";
import { byId, element } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { ask } from "./dialogs.js";
import { counted } from "./sentences.js";

const key = "storecast board name";

/**
 * Who this is, as this browser remembers it: empty for somebody who stays anonymous; undefined if
 * they haven't been asked.
 *
 * @returns {string | undefined}
 */
export function myName() {
  try {
    return history.state?.name ?? localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Asks who this is, over the board; and the button that shows it, and changes it. */
export class NameDialog {
  #connection;
  #name;

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection  under `name`
   * @param {string} name
   */
  constructor(connection, name) {
    this.#connection = connection;
    this.#name = name;
    const button = byId("name-button");
    button.append(avatar(name), element("span", { text: shownName(name) }));
    button.setAttribute("aria-label", `You are ${shownName(name)}: change that`);
    button.onclick = () => this.open();
    byId("name-anonymous").onclick = () => byId("name-dialog").close("anonymous");
  }

  /** Returns when it is answered. */
  async open() {
    const field = byId("name");
    field.value = this.#name;
    byId("name-anonymous").textContent = this.#name ? "Be anonymous" : "Stay anonymous";
    byId("name-save").textContent = this.#name ? "Change my name" : "Join the board";
    const { pendingCount } = this.#connection;
    byId("name-waiting").hidden = pendingCount === 0;
    byId("name-waiting").textContent =
      `Not saved yet: ${counted(pendingCount, "change")}. They wait in this browser until you are ` +
      `${shownName(this.#name)} again.`;
    const how = await ask(byId("name-dialog"));
    if (how === "anonymous") this.#become("");
    if (how === "save") this.#become(field.value.trim());
  }

  /** @param {string} name */
  #become(name) {
    try {
      localStorage.setItem(key, name);
    } catch {
      // Not allowed here: the tab remembers it.
      history.replaceState({ name }, "");
    }
    if (name === this.#name) return;
    // Another person is another client: the page begins anew, if it can be had.
    const isReachable = this.#connection.status.state === "live";
    if (isReachable || navigator.serviceWorker?.controller) return location.reload();
    notify(`There is no connection. You are ${shownName(name)} when the page is loaded again.`);
  }
}
