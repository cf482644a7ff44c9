import { cardReducer, remember, sharedTextOf } from "./cardText.js";
import { TextDraft } from "./TextDraft.js";

/**
 * A card's text in a field, with what others make of it meanwhile, and what was typed in it before.
 * What is typed is kept as a draft until it is saved or discarded.
 */
export class CardEditing {
  /** Whether somebody has removed the card. */
  isGone = false;
  #board;
  #card;
  #draft;
  #field;
  #store;
  #changed = () => {};
  /** Whether an input method is composing a character: then the field has to be left alone. */
  #isComposing = false;
  #end = new AbortController();

  /**
   * @param {import("./BoardView.js").BoardView} board
   * @param {HTMLTextAreaElement} field
   * @param {import("./reducers.js").Card} card
   * @param {() => void} changed  called when something has been typed, or the card has gone
   */
  constructor(board, field, card, changed) {
    this.#board = board;
    this.#card = card;
    this.#field = field;
    const { connection, drafts } = board;
    this.#draft = new TextDraft(field, connection.participant, sharedTextOf(card));
    this.#store = connection.select("card", card.id, { optimistic: cardReducer });
    const { signal } = this.#end;
    const composing = (/** @type {boolean} */ is) => () => {
      this.#isComposing = is;
      this.#follow();
    };
    field.addEventListener("compositionstart", composing(true), { signal });
    field.addEventListener("compositionend", composing(false), { signal });
    field.addEventListener("input", () => this.#typed(), { signal });
    signal.addEventListener("abort", this.#store.subscribe(() => this.#follow()));
    this.#follow();
    const kept = drafts.get(draftOf(card));
    if (kept) this.#draft.restore(kept);
    this.#changed = changed;
  }

  /** Whether there is something to save. */
  get isChanged() {
    return this.#draft.unsaved !== undefined;
  }

  /** Ends it; what was typed stays as a draft. */
  close() {
    this.#end.abort();
  }

  /** Ends it, without what was typed. */
  discard() {
    this.close();
    this.#board.drafts.drop(draftOf(this.#card));
  }

  /** Ends it, and dispatches what was changed. */
  save() {
    const { edit, base } = this.#draft;
    this.discard();
    if (!edit) return;
    remember(edit, this.#field.value, base);
    this.#board.dispatch("EditCardText", { card: this.#card.id, edit });
  }

  #typed() {
    this.#board.drafts.keep(draftOf(this.#card), this.#draft.unsaved);
    this.#changed();
  }

  #follow() {
    const news = this.#store.getState();
    if (news && !this.#isComposing) this.#draft.follow(sharedTextOf(news));
    // The server doesn't have one yet that was just made.
    const isGone = news === null && !this.#card.isPending;
    if (isGone === this.isGone) return;
    this.isGone = isGone;
    this.#changed();
  }
}

/**
 * What the draft of a card's text is called.
 *
 * @param {{ id: string }} card
 */
export const draftOf = ({ id }) => `card ${id}`;
