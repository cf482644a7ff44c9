import { byId, element } from "./element.js";

/** How long a notice stays, in milliseconds. */
const stay = 8000;

/**
 * @typedef {object} NoticeOptions
 * @property {string} [kept]  what somebody had typed: the notice stays with it until it is closed
 * @property {"good"} [kind]  of what went well; otherwise something didn't
 * @property {{ text: string, run: () => void }} [action]  a button that does something about it
 * @property {() => void} [closed]  called when somebody closes the notice, or uses its button
 */

/**
 * Shows a sentence for a while, and has it read out.
 *
 * @param {string} sentence
 * @param {NoticeOptions} [options]
 * @returns {HTMLElement} the notice
 */
export function notify(sentence, options = {}) {
  const { kept, kind, action, closed } = options;
  const close = () => {
    notice.remove();
    closed?.();
  };
  const act = () => {
    close();
    action?.run();
  };
  const notice = element(
    "div",
    { class: ["notice", kept && "kept", kind].filter(Boolean).join(" ") },
    element("p", { text: sentence }, kept ? element("q", { text: kept }) : undefined),
    action && element("button", { text: action.text, onclick: act }),
    element("button", { class: "plain icon", text: "✕", "aria-label": "Close", onclick: close })
  );
  const notices = byId("notices");
  const passing = [...notices.querySelectorAll(".notice:not(.kept)")];
  for (const old of passing.slice(0, -2)) old.remove();
  notices.append(notice);
  if (!kept) passAway(notice);
  return notice;
}

/**
 * Takes a notice away when it has been there for a while, and nobody is at it.
 *
 * @param {HTMLElement} notice
 */
function passAway(notice) {
  setTimeout(() => {
    if (notice.matches(":hover, :focus-within")) passAway(notice);
    else notice.remove();
  }, stay);
}

/**
 * Has a sentence read out to those who don't see.
 *
 * @param {string} sentence
 */
export function announce(sentence) {
  byId("spoken").textContent = sentence;
}
