import { byId } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { ask } from "./dialogs.js";
import { newBoardPath } from "./room.js";
import { startTour } from "./Tour.js";
import { isTyping } from "./UndoView.js";

/**
 * The board's name, and what can be done with the whole of it: a new one, its link, help.
 *
 * @param {string} name
 */
export function showBoardMenu(name) {
  document.title = name === "Board" ? name : `${name} · Board`;
  byId("board-name").textContent = name;
  const menu = byId("board-menu");
  const choose = (/** @type {string} */ id, /** @type {() => void} */ run) => {
    byId(id).onclick = () => {
      menu.hidePopover();
      run();
    };
  };
  choose("new-board", () => location.assign(newBoardPath()));
  choose("take-tour", startTour);
  const dialog = byId("help-dialog");
  const help = () => dialog.open || dialog.showModal();
  choose("menu-help", help);
  byId("help-button").onclick = help;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    event.preventDefault();
    help();
  });
  byId("share-button").onclick = () => void share(document.title);
}

/**
 * Gives the board's link to other programs on a phone; elsewhere to the clipboard.
 *
 * @param {string} title
 */
async function share(title) {
  const url = location.origin + location.pathname;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      return await navigator.share({ title, url });
    } catch (error) {
      // Who closes the phone's own dialog has changed their mind.
      if (/** @type {Error} */ (error).name === "AbortError") return;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    notify("The link is copied. Whoever opens it is on this board.", { kind: "good" });
  } catch {
    // Pages that didn't come by HTTPS have no clipboard: people copy it themselves.
    const field = byId("share-link");
    field.value = url;
    const closed = ask(byId("share-dialog"));
    field.select();
    await closed;
  }
}
