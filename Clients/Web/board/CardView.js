import { avatar, shownName } from "../parts/avatar.js";
import { element, set } from "../parts/element.js";
import { counted } from "./sentences.js";

/** @typedef {import("./reducers.js").Card} Card */

/** A card. It is the same element in whatever column it is. */
export class CardView {
  /** @type {Card} */
  card;
  #text = element("p");
  #votes;
  #unsaved = element("span", { class: "unsaved", text: "Not saved yet", hidden: true });
  #assignee = element("span");
  #edit;
  #me;

  /**
   * @param {Card} card
   * @param {string} me
   * @param {import("./BoardView.js").BoardView} board
   */
  constructor(card, me, board) {
    this.#me = me;
    const vote = () => board.toggleVote(this);
    const open = () => board.openCard(this);
    this.#votes = element("button", { class: "plain votes", onclick: vote });
    this.#edit = element("button", {
      class: "plain icon",
      text: "⋯",
      "aria-label": "Open the card",
      onclick: open,
    });
    const space = element("span", { class: "space" });
    this.element = element(
      "li",
      { class: "card", tabindex: "-1", "data-card": card.id, ondblclick: open },
      this.#text,
      element("footer", {}, this.#votes, this.#unsaved, space, this.#assignee, this.#edit)
    );
    this.card = card;
    this.#draw();
    this.isCurrent = false;
  }

  /** @param {Card} card */
  show(card) {
    if (card === this.card) return;
    this.card = card;
    this.#draw();
  }

  #draw() {
    const { text, voters, assignee, isPending = false } = this.card;
    const hasMine = voters.includes(this.#me);
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#votes.textContent = `▲ ${voters.length}`;
    set(this.#votes, "aria-pressed", String(hasMine));
    set(this.#votes, "aria-label", `Vote, ${counted(voters.length, "vote")}`);
    set(this.#votes, "title", voters.map(shownName).join(", ") || "Nobody has voted yet");
    this.#unsaved.hidden = !isPending;
    this.#assignee.title = assignee ? `${shownName(assignee)} does it` : "";
    this.#assignee.replaceChildren(...(assignee ? [avatar(assignee)] : []));
    this.element.classList.toggle("waiting", isPending);
    const who = assignee ? `, ${shownName(assignee)} does it` : "";
    const saved = isPending ? ", not saved yet" : "";
    set(this.element, "aria-label", `${text}, ${counted(voters.length, "vote")}${who}${saved}`);
  }

  /**
   * Whether this is the card that Tab comes to; only its buttons are reached by Tab.
   *
   * @param {boolean} isCurrent
   */
  set isCurrent(isCurrent) {
    for (const part of [this.element, this.#votes, this.#edit]) {
      set(part, "tabindex", isCurrent ? 0 : -1);
    }
  }
}
