import { byId, element } from "./element.js";

/** How long a notice stays, in milliseconds. */
const stay = 8000;

/**
 * Shows a sentence for a while, and has it read out.
 *
 * @param {string} sentence
 * @param {string} [kept]  what somebody had typed: the notice stays with it until it is closed
 */
export function notify(sentence, kept) {
  const notice = element(
    "div",
    { class: kept ? "notice kept" : "notice" },
    element("p", { text: sentence }, kept ? element("q", { text: kept }) : undefined),
    element("button", {
      class: "plain icon",
      text: "✕",
      "aria-label": "Close",
      onclick: () => notice.remove(),
    })
  );
  const notices = byId("notices");
  const passing = [...notices.querySelectorAll(".notice:not(.kept)")];
  for (const old of passing.slice(0, -2)) old.remove();
  notices.append(notice);
  if (!kept) setTimeout(() => notice.remove(), stay);
}

/**
 * Has a sentence read out to those who don't see.
 *
 * @param {string} sentence
 */
export function announce(sentence) {
  byId("spoken").textContent = sentence;
}
