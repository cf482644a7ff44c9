import { avatar, shownName } from "../parts/avatar.js";
import { element, set } from "../parts/element.js";
import { draftOf } from "./CardEditing.js";
import { CardEditor } from "./CardEditor.js";
import { counted } from "./sentences.js";

/** @typedef {import("./reducers.js").Card} Card */

/** A card. It is the same element in whatever column it is. */
export class CardView {
  /** @type {Card} */
  card;
  #text = element("p");
  #votes;
  #unsaved = element("span", { class: "unsaved", text: "Not saved yet", hidden: true });
  #draft = element("button", { class: "plain draft", text: "Draft", hidden: true });
  #assignee = element("span");
  #open;
  #me;
  #board;
  /** @type {CardEditor | undefined} */
  #editor;
  /** Whether its dialog is open. */
  isOpen = false;
  /** Whether the click that comes next only ends a drag. */
  #wasDragged = false;

  /**
   * @param {Card} card
   * @param {string} me
   * @param {import("./BoardView.js").BoardView} board
   */
  constructor(card, me, board) {
    this.#me = me;
    this.#board = board;
    const vote = () => board.toggleVote(this);
    const open = () => board.openCard(this);
    this.#votes = element("button", { class: "plain votes", onclick: vote });
    this.#text.addEventListener("click", this.#clicked);
    this.#draft.addEventListener("click", () => this.edit());
    this.#open = element("button", {
      class: "plain icon",
      text: "⋯",
      "aria-label": "Open the card",
      onclick: open,
    });
    const state = [this.#votes, this.#unsaved, this.#draft];
    const space = element("span", { class: "space" });
    this.element = element(
      "li",
      { class: "card", tabindex: "-1", "data-card": card.id, onpointerup: this.#released },
      this.#text,
      element("footer", {}, ...state, space, this.#assignee, this.#open)
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

  /** Whether its text is being edited, here or in its dialog. */
  get isEdited() {
    return this.isOpen || this.#editor !== undefined;
  }

  /** Has its text edited in its place. */
  edit() {
    if (this.#editor) return this.#editor.focus();
    const editor = new CardEditor(this, this.#board);
    if (editor.isOpen) this.#editor = editor;
  }

  /** Its text is edited no longer. */
  edited() {
    this.#editor = undefined;
    this.#draw();
  }

  #released = () => {
    this.#wasDragged = document.documentElement.classList.contains("dragging");
  };

  #clicked = () => {
    if (!this.#wasDragged) this.edit();
  };

  #draw() {
    const { text, voters, assignee, isPending = false } = this.card;
    const hasMine = voters.includes(this.#me);
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#votes.textContent = `▲ ${voters.length}`;
    set(this.#votes, "aria-pressed", String(hasMine));
    set(this.#votes, "aria-label", `Vote, ${counted(voters.length, "vote")}`);
    set(this.#votes, "title", voters.map(shownName).join(", ") || "Nobody has voted yet");
    this.#unsaved.hidden = !isPending;
    const draft = this.#board.drafts.get(draftOf(this.card));
    this.#draft.hidden = !draft;
    set(this.#draft, "title", draft && `You typed, and didn't save: ${draft.text}`);
    set(this.#draft, "aria-label", "Go on with what you typed in this card");
    this.#assignee.title = assignee ? `${shownName(assignee)} does it` : "";
    this.#assignee.replaceChildren(...(assignee ? [avatar(assignee)] : []));
    this.element.classList.toggle("waiting", isPending);
    const who = assignee ? `, ${shownName(assignee)} does it` : "";
    const saved = isPending ? ", not saved yet" : "";
    const typed = draft ? ", has a draft of yours" : "";
    const votes = counted(voters.length, "vote");
    set(this.element, "aria-label", `${text}, ${votes}${who}${saved}${typed}`);
  }

  /**
   * Whether this is the card that Tab comes to; only its buttons are reached by Tab.
   *
   * @param {boolean} isCurrent
   */
  set isCurrent(isCurrent) {
    for (const part of [this.element, this.#votes, this.#draft, this.#open]) {
      set(part, "tabindex", isCurrent ? 0 : -1);
    }
  }
}
