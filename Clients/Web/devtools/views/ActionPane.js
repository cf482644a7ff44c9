import { shownName } from "../../parts/avatar.js";
import { bytes, clock, element } from "../elements.js";
import { StateTree } from "./StateTree.js";

/** @typedef {import("../model/types.js").Dispatch} Dispatch */

/** One dispatch: who, when, what became of it, and its actions with their whole payloads. */
export class ActionPane {
  #home;
  #repeat;
  /** @type {Dispatch | undefined} */
  #shown;

  /**
   * @param {HTMLElement} home
   * @param {(dispatch: Dispatch) => void} repeat  puts it into the form
   */
  constructor(home, repeat) {
    this.#home = home;
    this.#repeat = repeat;
  }

  /** @param {Dispatch | undefined} dispatch */
  show(dispatch) {
    if (dispatch && dispatch === this.#shown) return;
    this.#shown = dispatch;
    if (!dispatch) {
      const hint = "Choose a dispatch in the log.";
      return this.#home.replaceChildren(element("p", { class: "bar title" }, hint));
    }
    const { version, user, time, participant, seq, rejection } = dispatch;
    const outcome = rejection ? `rejected: ${rejection}` : `v${version}`;
    const repeat = () => this.#repeat(dispatch);
    const client = `${participant}, dispatch ${seq}`;
    const terms = ["by", shownName(user), "at", clock(time), "client", client];
    this.#home.replaceChildren(
      element(
        "div",
        { class: "bar title" },
        element("span", { class: rejection ? "problem space" : "space" }, outcome),
        element("button", { onclick: repeat }, "Into the form"),
      ),
      element(
        "dl",
        {},
        ...terms.map((text, index) => element(index % 2 === 0 ? "dt" : "dd", {}, text)),
      ),
      ...dispatch.actions.flatMap(shownAction),
    );
  }
}

/** @param {import("../model/types.js").LoggedAction} action */
function shownAction({ type, payload, excerpt, bytes: size }) {
  const tree = element("div", { class: "tree" });
  const title = element("p", { class: "bar title" }, element("b", {}, type), bytes(size));
  if (excerpt === undefined) new StateTree(tree, "payload").show(payload ?? {}, []);
  else tree.append(`${excerpt}…`);
  return [title, tree];
}
