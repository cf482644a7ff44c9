import { shownName } from "../../parts/avatar.js";
import { clock, element } from "../elements.js";

/** @typedef {import("../model/types.js").Dispatch} Dispatch */

/** The slider over the room's versions. */
export class TimeBar {
  #slider = element("input", { type: "range", min: "0", max: "0", step: "1" });
  #label = element("output", { class: "version" });
  #live = element("button", { "aria-pressed": "true" }, "Live");
  #skips = element("span", { class: "skips" });

  /**
   * @param {HTMLElement} home
   * @param {(version: number | undefined) => void} look
   * @param {() => void} unskip
   */
  constructor(home, look, unskip) {
    const step = (/** @type {number} */ by) => {
      const version = Number(this.#slider.value) + by;
      look(Math.max(0, Math.min(version, Number(this.#slider.max))));
    };
    this.#slider.setAttribute("aria-label", "Version");
    this.#slider.addEventListener("input", () => look(Number(this.#slider.value)));
    // As in the log, where what is later is below: a slider's own keys have it the other way round.
    this.#slider.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      step(by);
    });
    this.#live.addEventListener("click", () => look(undefined));
    this.#skips.addEventListener("click", (event) => {
      if (event.target instanceof HTMLButtonElement) unskip();
    });
    home.append(
      element("button", { "aria-label": "First version", onclick: () => look(0) }, "«"),
      element("button", { "aria-label": "Back one version", onclick: () => step(-1) }, "‹"),
      this.#slider,
      element("button", { "aria-label": "Forward one version", onclick: () => step(1) }, "›"),
      this.#live,
      this.#label,
      this.#skips,
    );
  }

  /**
   * @param {number} newest
   * @param {number | undefined} version  undefined for the newest
   * @param {Dispatch | undefined} dispatch  what led to it
   * @param {readonly number[]} skipped
   */
  show(newest, version, dispatch, skipped) {
    this.#slider.max = String(newest);
    this.#slider.value = String(version ?? newest);
    const names = dispatch?.actions.map(({ type }) => type).join(" + ");
    const user = shownName(dispatch?.user ?? "");
    const what = dispatch ? ` · ${names} by ${user} at ${clock(dispatch.time)}` : "";
    this.#label.textContent = `v${version ?? newest} of ${newest}${what}`;
    this.#slider.setAttribute("aria-valuetext", this.#label.textContent);
    this.#live.setAttribute("aria-pressed", String(version === undefined));
    this.#skips.replaceChildren();
    if (skipped.length > 0) {
      const missing = skipped.map((skip) => `v${skip}`).join(", ");
      this.#skips.append(`without ${missing} `, element("button", {}, "Skip nothing"));
    }
  }
}
