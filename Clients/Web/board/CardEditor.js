import { element } from "../parts/element.js";
import { CardEditing } from "./CardEditing.js";
import { tellGone } from "./lostTexts.js";

/** A card whose text is edited where it is. */
export class CardEditor {
  isOpen = true;
  #board;
  #view;
  #editing;
  #field;
  #cancel;
  #form;

  /**
   * @param {import("./CardView.js").CardView} view
   * @param {import("./BoardView.js").BoardView} board
   */
  constructor(view, board) {
    this.#board = board;
    this.#view = view;
    this.#field = element("textarea", {
      rows: "3",
      maxlength: "500",
      required: true,
      "aria-label": "Text of the card",
      onkeydown: this.#pressed,
    });
    this.#cancel = element("button", { type: "button", onclick: () => this.#discard() });
    this.#form = element(
      "form",
      { class: "editing", onsubmit: this.#submit },
      this.#field,
      element(
        "div",
        { class: "buttons" },
        this.#cancel,
        element("button", { class: "primary", text: "Save" })
      )
    );
    view.element.append(this.#form);
    view.element.classList.add("edited");
    this.#editing = new CardEditing(board, this.#field, view.card, () => this.#changed());
    this.#field.focus();
    this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
    this.#changed();
  }

  focus() {
    this.#field.focus();
  }

  /** Ends it; what was typed stays as a draft. */
  close() {
    this.isOpen = false;
    this.#editing.close();
    const hadFocus = this.#form.contains(document.activeElement);
    this.#form.remove();
    this.#view.element.classList.remove("edited");
    this.#view.edited();
    if (hadFocus) this.#view.element.focus();
  }

  #discard() {
    this.#editing.discard();
    this.close();
  }

  /** @param {Event} event */
  #submit = (event) => {
    event.preventDefault();
    this.#editing.save();
    this.close();
  };

  /** @param {KeyboardEvent} event */
  #pressed = (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Escape") this.close();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.#form.requestSubmit();
  };

  #changed() {
    if (!this.#editing) return;
    const { isChanged, isGone } = this.#editing;
    this.#cancel.textContent = isChanged ? "Discard" : "Cancel";
    if (!isGone) return;
    const { value } = this.#field;
    this.#discard();
    if (isChanged) tellGone(this.#board, value, this.#view.card.column);
  }
}
