import { element } from "../elements.js";

/** @typedef {import("../model/types.js").Forwarded} Forwarded */
/** @typedef {import("../model/types.js").Samples} Samples */
/**
 * @typedef {object} Destination
 * @property {string | undefined} room  that was chosen
 * @property {boolean} imported  whether an imported log is shown instead
 */

/** A form that dispatches an action into the room: one of its types, with a sample payload. */
export class DispatchForm {
  #send;
  #type = element("select", { required: true });
  #payload = element("textarea", { rows: "7", spellcheck: "false" });
  #home = element("p", { class: "faint", id: "dispatch-home" });
  #problem = element("p", { class: "problem", id: "payload-problem", role: "status" });
  #button = element("button", { type: "submit", class: "primary" }, "Dispatch");
  #sample = element("button", { type: "button" }, "Sample payload");
  #results = element("ol", { class: "results", "aria-label": "Dispatched", "aria-live": "polite" });
  /** @type {Samples | undefined} */
  #samples;
  /** What the payload was when nobody had touched it. */
  #untouched = "{}";

  /**
   * @param {HTMLElement} home
   * @param {(type: string, payload: unknown) => void} send
   */
  constructor(home, send) {
    this.#send = send;
    this.#payload.value = this.#untouched;
    this.#payload.setAttribute("aria-describedby", "payload-problem");
    this.#button.setAttribute("aria-describedby", "dispatch-home");
    this.#payload.addEventListener("input", () => this.#check());
    this.#payload.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    this.#type.addEventListener("change", () => {
      if (this.#payload.value === this.#untouched) this.#begin();
    });
    this.#sample.addEventListener("click", () => this.#begin());
    const form = element(
      "form",
      {},
      this.#home,
      element("label", {}, "Type", this.#type),
      element("label", {}, "Payload, as JSON", this.#payload),
      this.#problem,
      element(
        "p",
        { class: "buttons" },
        this.#button,
        this.#sample,
        element("span", { class: "faint" }, "Ctrl+Enter dispatches"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const payload = this.#check();
      if (payload !== undefined && this.#type.value) this.#send(this.#type.value, payload);
    });
    home.append(form, this.#results);
  }

  /** Puts an action into the form. */
  fill(/** @type {string} */ type, /** @type {unknown} */ payload) {
    this.#offer(type);
    this.#type.value = type;
    this.#payload.value = text(payload ?? {});
    this.#check();
    this.#payload.focus();
  }

  /**
   * @param {Samples | undefined} samples
   * @param {readonly Forwarded[]} results  the newest at the end
   * @param {Destination} destination
   */
  show(samples, results, destination) {
    this.#home.textContent = destinationText(destination);
    if (samples && samples !== this.#samples && !samples.problem) {
      this.#samples = samples;
      const chosen = this.#type.value;
      this.#type.replaceChildren(
        ...samples.actions.map(({ type }) => element("option", { value: type }, type)),
      );
      if (chosen) this.#offer(chosen), (this.#type.value = chosen);
      if (this.#payload.value === this.#untouched) this.#begin();
    }
    const lines = [...results].reverse().filter(({ type }) => type !== "import");
    this.#results.replaceChildren(...lines.map(result));
  }

  /** Has a type that the room doesn't know, so that it can be tried. */
  #offer(/** @type {string} */ type) {
    const has = [...this.#type.options].some(({ value }) => value === type);
    if (!has) this.#type.append(element("option", { value: type }, type));
  }

  /** Puts the sample for the chosen type into the payload. */
  #begin() {
    const sample = this.#samples?.actions.find(({ type }) => type === this.#type.value);
    this.#untouched = text(sample?.payload ?? {});
    this.#payload.value = this.#untouched;
    this.#check();
  }

  /** The payload, or undefined if it isn't JSON. */
  #check() {
    try {
      const payload = JSON.parse(this.#payload.value.trim() || "{}");
      this.#say("");
      return payload;
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** @param {string} problem */
  #say(problem) {
    this.#problem.textContent = problem;
    this.#button.disabled = problem !== "";
    this.#payload.setAttribute("aria-invalid", String(problem !== ""));
  }
}

/**
 * Where a dispatch goes.
 *
 * @param {Destination} destination
 */
export function destinationText({ room, imported }) {
  if (room === undefined) return "Choose a room first.";
  return imported
    ? `What is dispatched goes into the room ${room}, not into the log that was imported.`
    : `What is dispatched goes into the room ${room}.`;
}

/** @param {unknown} payload */
const text = (payload) => JSON.stringify(payload, undefined, 2);

/** @param {Forwarded} forwarded */
function result({ room, type, version, problem, isOver }) {
  const end = problem ?? (version !== undefined ? `v${version}` : isOver ? "done" : "…");
  const place = room === undefined ? " " : ` in ${room} `;
  return element(
    "li",
    { class: problem && "rejected" },
    element("b", {}, type), place, element("code", {}, end),
  );
}
