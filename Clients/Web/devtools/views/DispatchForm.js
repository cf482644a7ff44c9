import { element } from "../elements.js";

/** @typedef {import("../model/types.js").Forwarded} Forwarded */

/** A form that dispatches an action into the room. */
export class DispatchForm {
  #send;
  #type = element("input", {
    list: "action-types", required: true, autocomplete: "off", spellcheck: "false",
  });
  #types = element("datalist", { id: "action-types" });
  #payload = element("textarea", { rows: "7", spellcheck: "false" });
  #problem = element("p", { class: "problem", id: "payload-problem", role: "status" });
  #button = element("button", { type: "submit", class: "primary" }, "Dispatch");
  #results = element("ol", { class: "results", "aria-label": "Dispatched", "aria-live": "polite" });

  /**
   * @param {HTMLElement} home
   * @param {(type: string, payload: unknown) => void} send
   */
  constructor(home, send) {
    this.#send = send;
    this.#payload.value = "{}";
    this.#payload.setAttribute("aria-describedby", "payload-problem");
    this.#payload.addEventListener("input", () => this.#check());
    this.#payload.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    const form = element(
      "form",
      {},
      element("label", {}, "Type", this.#type),
      this.#types,
      element("label", {}, "Payload, as JSON", this.#payload),
      this.#problem,
      element("p", {}, this.#button, element("span", { class: "faint" }, " Ctrl+Enter")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const payload = this.#check();
      if (payload !== undefined) this.#send(this.#type.value.trim(), payload);
    });
    home.append(form, this.#results);
  }

  /** Puts an action into the form. */
  fill(/** @type {string} */ type, /** @type {unknown} */ payload) {
    this.#type.value = type;
    this.#payload.value = JSON.stringify(payload ?? {}, undefined, 2);
    this.#check();
    this.#type.focus();
  }

  /**
   * @param {string[]} types
   * @param {readonly Forwarded[]} results  the newest at the end
   */
  show(types, results) {
    if (this.#types.childElementCount !== types.length) {
      this.#types.replaceChildren(...types.map((type) => element("option", { value: type })));
    }
    const lines = [...results].reverse().map(({ room, type, version, problem }) => {
      const end = problem ?? (version === undefined ? "…" : `v${version}`);
      const marks = { class: problem ? "rejected" : "" };
      return element("li", marks, element("b", {}, type), ` in ${room} `, element("code", {}, end));
    });
    this.#results.replaceChildren(...lines);
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
