import { byId, element } from "../parts/element.js";
import { ask } from "./dialogs.js";

/** A card's text, column and who does it; and how to remove it. */
export class CardDialog {
  #board;

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    byId("card-remove").onclick = () => byId("card-dialog").close("remove");
  }

  /**
   * Returns when the dialog is closed and what was changed is dispatched.
   *
   * @param {import("./CardView.js").CardView} view
   * @param {{ isToRemove?: boolean }} how
   */
  async open(view, { isToRemove = false }) {
    const { card } = view;
    const [text, columns] = [byId("card-text"), byId("card-column")];
    const assignee = byId("card-assignee");
    const column = this.#board.columnOf(view);
    const targets = this.#board.columns;
    columns.replaceChildren(
      ...targets.map(({ column: { id, title } }) => element("option", { value: id, text: title }))
    );
    text.value = card.text;
    columns.value = column?.column.id;
    assignee.value = card.assignee ?? "";
    const answer = ask(byId("card-dialog"));
    (isToRemove ? byId("card-remove") : text).focus();
    const how = await answer;
    if (how === "remove") this.#board.dispatch("RemoveCard", { card: card.id });
    if (how !== "save") return;
    const target = targets.find((candidate) => candidate.column.id === columns.value);
    this.#save(card, text.value.trim(), assignee.value.trim());
    if (target && target !== column) this.#board.move(view, target, undefined);
  }

  /**
   * @param {import("./reducers.js").Card} card
   * @param {string} text
   * @param {string} assignee
   */
  #save({ id, text: oldText, assignee: oldAssignee = "" }, text, assignee) {
    if (text && text !== oldText) this.#board.dispatch("EditCard", { card: id, text });
    if (assignee === oldAssignee) return;
    this.#board.dispatch("AssignCard", { card: id, ...(assignee && { assignee }) });
  }
}
