import { avatar, shownName } from "../parts/avatar.js";
import { byId, element } from "../parts/element.js";
import { ask } from "./dialogs.js";

const key = "storecast board name";

/** Who this is: remembered, or asked for; empty for somebody anonymous. */
export async function myName() {
  const known = read();
  return known ?? (await choose(""));
}

/** The button that shows who one is, and changes it. */
export class NameDialog {
  /** @param {string} name */
  constructor(name) {
    const button = byId("name-button");
    button.append(avatar(name), element("span", { text: shownName(name) }));
    button.setAttribute("aria-label", `You are ${shownName(name)}. Change your name`);
    button.onclick = async () => {
      const chosen = await choose(name);
      // Another person is another client: the page begins anew.
      if (chosen !== undefined && chosen !== name) location.reload();
    };
  }
}

/**
 * @param {string} name
 * @returns {Promise<string | undefined>} undefined if the dialog was cancelled
 */
async function choose(name) {
  const field = byId("name");
  field.value = name;
  if ((await ask(byId("name-dialog"))) !== "save") return undefined;
  const chosen = field.value.trim();
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Not allowed here: the name lasts as long as the page.
  }
  return chosen;
}

function read() {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
