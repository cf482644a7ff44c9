import { byId } from "../parts/element.js";

const key = "storecast board tour";

/**
 * A step: what it is about, the first of these that is to be seen, and what there is to know.
 *
 * @type {{ at: string[], title: string, text: string }[]}
 */
const steps = [
  {
    at: [".column"],
    title: "One board for everybody",
    text: "Whoever opens this page sees the same cards, and every change as it happens.",
  },
  {
    at: [".column .add", ".column"],
    title: "Add a card",
    text: "Each column takes new cards at its end. With the keyboard: N.",
  },
  {
    at: [".card", ".column .cards"],
    title: "Move and edit it",
    text:
      "Drag a card, or hold it with a finger and then drag it. Click its text to edit it, ▲ to " +
      "vote, and ⋯ for everything else. With the keyboard: arrows, Shift and arrows, Enter.",
  },
  {
    at: ["#chat", "#chat-button"],
    title: "Talk about it",
    text: "The chat is for everybody who is on the board.",
  },
  {
    at: ["#share-button"],
    title: "Bring others",
    text: "This copies the link of the board. Go on without a connection: all of it arrives later.",
  },
];

let isSeen = false;

/** Whether somebody has been through the tour in this browser, or skipped it. */
export function hasSeenTour() {
  try {
    return isSeen || localStorage.getItem(key) === "seen";
  } catch {
    return isSeen;
  }
}

/** Shows what there is, step by step, beside a dialog. */
export function startTour() {
  const [dialog, spot, next] = [byId("tour"), byId("tour-spot"), byId("tour-next")];
  let step = 0;
  const show = () => {
    const { at, title, text } = steps[step] ?? { at: [], title: "", text: "" };
    byId("tour-title").textContent = title;
    byId("tour-text").textContent = text;
    byId("tour-number").textContent = `${step + 1} of ${steps.length}`;
    byId("tour-back").hidden = step === 0;
    next.textContent = step === steps.length - 1 ? "Done" : "Next";
    const target = at.map((selector) => document.querySelector(selector)).find(isVisible);
    target?.scrollIntoView({ block: "nearest", inline: "nearest" });
    place(byId("tour-step"), spot, target?.getBoundingClientRect());
  };
  const turn = (/** @type {number} */ by) => {
    step += by;
    if (!steps[step]) return dialog.close();
    show();
    next.focus();
  };
  byId("tour-back").onclick = () => turn(-1);
  byId("tour-skip").onclick = () => dialog.close();
  next.onclick = () => turn(1);
  dialog.onkeydown = (/** @type {KeyboardEvent} */ { key: pressed }) => {
    if (pressed === "ArrowRight" && steps[step + 1]) turn(1);
    if (pressed === "ArrowLeft" && step > 0) turn(-1);
  };
  window.addEventListener("resize", show);
  dialog.onclose = () => {
    window.removeEventListener("resize", show);
    isSeen = true;
    try {
      localStorage.setItem(key, "seen");
    } catch {
      // Not allowed here: it is offered again the next time.
    }
    byId("welcome-tour").hidden = true;
  };
  dialog.showModal();
  show();
  next.focus();
}

/** @param {Element | null} target */
const isVisible = (target) => target !== null && target.getClientRects().length > 0;

/**
 * Puts the light on a part of the page, and the step's text where it hides as little of it as
 * possible.
 *
 * @param {HTMLElement} panel
 * @param {HTMLElement} spot
 * @param {DOMRect | undefined} box
 */
function place(panel, spot, box = new DOMRect(innerWidth / 2, innerHeight / 3)) {
  const around = 6;
  const left = Math.max(box.left - around, 4);
  const top = Math.max(box.top - around, 4);
  const right = Math.min(box.right + around, innerWidth - 4);
  const bottom = Math.min(box.bottom + around, innerHeight - 4);
  Object.assign(spot.style, {
    left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px`,
  });
  const { offsetWidth: width, offsetHeight: height } = panel;
  const gap = 14;
  const isBeside = right + gap + width < innerWidth;
  const isBefore = left - gap - width > 0;
  const isUnder = bottom + gap + height < innerHeight;
  const x = isUnder ? left : isBeside ? right + gap : isBefore ? left - gap - width : left;
  const y = isUnder ? bottom + gap : isBeside || isBefore ? top : innerHeight - height - gap;
  panel.style.left = `${Math.max(gap, Math.min(x, innerWidth - width - gap))}px`;
  panel.style.top = `${Math.max(gap, Math.min(y, innerHeight - height - gap))}px`;
}
