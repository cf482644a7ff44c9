import { element } from "../parts/element.js";
import { pointer } from "../storecast/wire/JSONPointer.js";

/** How many members of an array or object are shown. */
const most = 500;

/** A JSON document, as a tree that can be opened. */
export class Tree {
  /** What somebody has opened or closed. @type {Map<string, boolean>} */
  #isOpen = new Map();
  #root;
  #chosen;

  /**
   * @param {Element} root
   * @param {(path: string, value: unknown) => void} chosen  called with a JSON Pointer
   */
  constructor(root, chosen) {
    this.#root = root;
    this.#chosen = chosen;
  }

  /** @param {unknown} value */
  show(value) {
    this.#root.replaceChildren(this.#item("", "document", value));
  }

  /**
   * @param {string} path
   * @param {string} name
   * @param {unknown} value
   */
  #item(path, name, value) {
    const label = element("button", { text: name, onclick: () => this.#chosen(path, value) });
    if (value === null || typeof value !== "object") {
      return element("li", {}, label, element("span", { text: `: ${JSON.stringify(value)}` }));
    }
    const depth = path.split("/").length;
    const members = Object.entries(value);
    const size = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`;
    const details = element(
      "details",
      { open: this.#isOpen.get(path) ?? depth < 4 },
      element("summary", {}, label, element("span", { class: "quiet", text: ` ${size}` }))
    );
    const fill = () => {
      if (details.open && !details.querySelector("ul")) details.append(this.#list(path, members));
    };
    details.addEventListener("toggle", () => {
      this.#isOpen.set(path, details.open);
      fill();
    });
    fill();
    return element("li", {}, details);
  }

  /**
   * @param {string} path
   * @param {[string, unknown][]} members
   */
  #list(path, members) {
    const items = members.slice(0, most).map(([name, value]) => {
      return this.#item(pointer(path, name), name, value);
    });
    const rest = members.length - items.length;
    if (rest > 0) items.push(element("li", { class: "quiet", text: `and ${rest} more` }));
    return element("ul", { class: "tree" }, ...items);
  }
}
