import { byId, element } from "./element.js";

/** How long a notice stays, in milliseconds. */
const stay = 8000;

/**
 * Shows a sentence for a while, and has it read out.
 *
 * @param {string} sentence
 */
export function notify(sentence) {
  const notice = element(
    "div",
    { class: "notice" },
    element("p", { text: sentence }),
    element("button", {
      class: "plain icon",
      text: "✕",
      "aria-label": "Close",
      onclick: () => notice.remove(),
    })
  );
  const notices = byId("notices");
  while (notices.children.length > 2) notices.firstElementChild.remove();
  notices.append(notice);
  setTimeout(() => notice.remove(), stay);
}

/**
 * Has a sentence read out to those who don't see.
 *
 * @param {string} sentence
 */
export function announce(sentence) {
  byId("spoken").textContent = sentence;
}
