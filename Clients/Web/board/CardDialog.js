import { byId, element } from "../parts/element.js";
import { CardEditing } from "./CardEditing.js";
import { ask } from "./dialogs.js";
import { askAfter } from "./lostTexts.js";

/** A card's text, column and who does it; and how to remove it. */
export class CardDialog {
  #board;
  #text = byId("card-text");
  #assignee = byId("card-assignee");
  #column = byId("card-column");

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    for (const how of ["remove", "discard"]) {
      byId(`card-${how}`).onclick = () => byId("card-dialog").close(how);
    }
  }

  /**
   * Returns when the dialog is closed and what was changed is dispatched. What was typed stays as a
   * draft if it is just closed.
   *
   * @param {import("./CardView.js").CardView} view
   */
  async open(view) {
    const { card } = view;
    const { drafts, columns } = this.#board;
    const column = this.#board.columnOf(view)?.column.id ?? card.column;
    this.#column.replaceChildren(
      ...columns.map(({ column: { id, title } }) => element("option", { value: id, text: title }))
    );
    this.#column.value = column;
    const draft = `assignee ${card.id}`;
    this.#assignee.value = drafts.get(draft)?.text ?? card.assignee ?? "";
    /** @type {CardEditing} */
    const editing = new CardEditing(this.#board, this.#text, card, () => this.#show(editing, card));
    this.#assignee.oninput = () => {
      const { value } = this.#assignee;
      drafts.keep(draft, value === (card.assignee ?? "") ? undefined : { text: value });
      this.#show(editing, card);
    };
    this.#column.onchange = () => this.#show(editing, card);
    this.#show(editing, card);
    const answer = ask(byId("card-dialog"));
    this.#text.focus();
    view.isOpen = true;
    const how = await answer;
    view.isOpen = false;
    if (how === "") {
      editing.close();
      if (editing.isGone) askAfter(this.#board, card.id);
    } else {
      drafts.drop(draft);
    }
    if (how === "save") this.#save(editing, view);
    if (how === "discard" || how === "remove") editing.discard();
    view.edited();
    if (how === "remove" && !editing.isGone) this.#board.removeCard(view);
  }

  /**
   * Says what the buttons do.
   *
   * @param {CardEditing} editing
   * @param {import("./reducers.js").Card} card
   */
  #show(editing, card) {
    const isChanged =
      editing.isChanged ||
      this.#assignee.value.trim() !== (card.assignee ?? "") ||
      this.#column.value !== card.column;
    byId("card-discard").textContent = isChanged ? "Discard changes" : "Cancel";
    byId("card-gone").hidden = !editing.isGone;
    byId("card-remove").hidden = editing.isGone;
    byId("card-save").textContent = editing.isGone ? "Add as a new card" : "Save";
  }

  /**
   * @param {CardEditing} editing
   * @param {import("./CardView.js").CardView} view
   */
  #save(editing, view) {
    const { card } = view;
    const column = this.#column.value;
    if (editing.isGone) {
      editing.discard();
      this.#board.dispatch("AddCard", { column, text: this.#text.value.trim() });
      return;
    }
    editing.save();
    this.#assign(card, this.#assignee.value.trim());
    const target = this.#board.columns.find((candidate) => candidate.column.id === column);
    const isThere = target === this.#board.columnOf(view);
    if (target && !isThere) this.#board.move(view, target, undefined);
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
