import { element } from "../elements.js";

/** Panes of which one is shown; the arrow keys go from tab to tab. */
export class Tabs {
  #tabs;
  #panels;
  #chosen = 0;

  /**
   * @param {HTMLElement} home
   * @param {string[]} names
   * @param {() => void} changed
   */
  constructor(home, names, changed) {
    this.#tabs = names.map((name, index) => {
      const choose = () => {
        this.choose(index);
        changed();
      };
      return element("button", { role: "tab", id: `tab-${index}`, onclick: choose }, name);
    });
    this.#panels = names.map((_, index) =>
      element("div", { role: "tabpanel", "aria-labelledby": `tab-${index}`, class: "panel" }),
    );
    const list = element("div", { role: "tablist", class: "bar" }, ...this.#tabs);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      this.choose((this.#chosen + step + names.length) % names.length);
      this.#tabs[this.#chosen].focus();
      changed();
    });
    home.append(list, ...this.#panels);
    this.choose(0);
  }

  get chosen() {
    return this.#chosen;
  }

  /** @param {number} index */
  panel(index) {
    return this.#panels[index];
  }

  /** @param {number} index */
  choose(index) {
    this.#chosen = index;
    for (const [place, tab] of this.#tabs.entries()) {
      tab.setAttribute("aria-selected", String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
      this.#panels[place].hidden = place !== index;
    }
  }
}
