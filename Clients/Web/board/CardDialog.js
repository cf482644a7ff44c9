import { byId, element } from "../parts/element.js";
import { cardReducer, remember, sharedTextOf } from "./cardText.js";
import { ask } from "./dialogs.js";
import { TextDraft } from "./TextDraft.js";

/** A card's text, column and who does it; and how to remove it. */
export class CardDialog {
  #board;
  #text = byId("card-text");
  /** Whether an input method is composing a character: then the field has to be left alone. */
  #isComposing = false;
  /** Shows what is new of the card that is open. */
  #follow = () => {};

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    byId("card-remove").onclick = () => byId("card-dialog").close("remove");
    this.#text.addEventListener("compositionstart", () => (this.#isComposing = true));
    this.#text.addEventListener("compositionend", () => {
      this.#isComposing = false;
      this.#follow();
    });
  }

  /**
   * Returns when the dialog is closed and what was changed is dispatched.
   *
   * @param {import("./CardView.js").CardView} view
   * @param {{ isToRemove?: boolean }} how
   */
  async open(view, { isToRemove = false }) {
    const { card } = view;
    const [columns, assignee] = [byId("card-column"), byId("card-assignee")];
    const column = this.#board.columnOf(view);
    const targets = this.#board.columns;
    columns.replaceChildren(
      ...targets.map(({ column: { id, title } }) => element("option", { value: id, text: title }))
    );
    const { draft, close } = this.#edit(card);
    columns.value = column?.column.id;
    assignee.value = card.assignee ?? "";
    const answer = ask(byId("card-dialog"));
    (isToRemove ? byId("card-remove") : this.#text).focus();
    const how = await answer;
    close();
    if (how === "remove") this.#board.dispatch("RemoveCard", { card: card.id });
    if (how !== "save") return;
    const target = targets.find((candidate) => candidate.column.id === columns.value);
    const { edit } = draft;
    if (edit) {
      remember(edit, this.#text.value);
      this.#board.dispatch("EditCardText", { card: card.id, edit });
    }
    this.#assign(card, assignee.value.trim());
    if (target && target !== column) this.#board.move(view, target, undefined);
  }

  /**
   * Has the text of a card in its field, with what others make of it, until it is closed.
   *
   * @param {import("./reducers.js").Card} card
   */
  #edit(card) {
    const { connection } = this.#board;
    const draft = new TextDraft(this.#text, connection.participant, sharedTextOf(card));
    const store = connection.select("card", card.id, { optimistic: cardReducer });
    this.#isComposing = false;
    this.#follow = () => {
      const news = store.getState();
      if (news && !this.#isComposing) draft.follow(sharedTextOf(news));
    };
    const close = store.subscribe(() => this.#follow());
    this.#follow();
    return { draft, close };
  }

  /**
   * @param {import("./reducers.js").Card} card
   * @param {string} assignee
   */
  #assign({ id, assignee: oldAssignee = "" }, assignee) {
    if (assignee === oldAssignee) return;
    this.#board.dispatch("AssignCard", { card: id, ...(assignee && { assignee }) });
  }
}
