import { avatar, shownName } from "../parts/avatar.js";
import { byId, element } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { ask } from "./dialogs.js";
import { counted } from "./sentences.js";

const key = "storecast board name";
const formerKey = "storecast board former name";
/** How long the server waits for somebody whose connection has ended, and a little more. */
const grace = 12_000;

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

/**
 * Who this was a moment ago, whom the server still takes to be here; undefined if nobody else.
 *
 * @returns {{ name: string, until: number } | undefined}
 */
export function myFormerName() {
  try {
    return JSON.parse(sessionStorage.getItem(formerKey) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Asks who this is, over the board; and the button that shows it, and changes it. */
export class NameDialog {
  #connection;
  #name;
  /** @type {string | undefined} */
  #shown;

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection  under `name`
   * @param {string} name
   */
  constructor(connection, name) {
    this.#connection = connection;
    this.#name = name;
    byId("name-button").onclick = () => this.open();
    connection.subscribe(() => this.#show());
    this.#show();
    byId("name-anonymous").onclick = () => byId("name-dialog").close("anonymous");
  }

  /** Where the server asks for tokens, it says whose one it was given. */
  #show() {
    const id = this.#connection.identity?.id ?? this.#name;
    if (id === this.#shown) return;
    this.#shown = id;
    const button = byId("name-button");
    button.replaceChildren(avatar(id), element("span", { text: shownName(id) }));
    button.setAttribute("aria-label", `You are ${shownName(id)}: change that`);
  }

  /** Returns when it is answered. */
  async open() {
    const field = byId("name");
    field.value = this.#name;
    byId("name-anonymous").textContent = this.#name ? "Be anonymous" : "Stay anonymous";
    byId("name-save").textContent = this.#name ? "Change my name" : "Join the board";
    const { pendingCount } = this.#connection;
    byId("name-waiting").hidden = pendingCount === 0;
    const until = `until you are ${shownName(this.#name)} again`;
    byId("name-waiting").textContent =
      `Not saved yet: ${counted(pendingCount, "change")}. They wait in this browser ${until}.`;
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
    const isReachable = this.#connection.status.state !== "offline";
    if (isReachable || navigator.serviceWorker?.controller) {
      this.#leave();
      return location.reload();
    }
    notify(`There is no connection. You are ${shownName(name)} when the page is loaded again.`);
  }

  #leave() {
    const former = { name: this.#name, until: Date.now() + grace };
    try {
      sessionStorage.setItem(formerKey, JSON.stringify(former));
    } catch {
      // Not allowed here: for a moment one meets oneself.
    }
  }
}
