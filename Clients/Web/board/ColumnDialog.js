import { byId } from "../parts/element.js";
import { ask } from "./dialogs.js";
import { titleDraft } from "./TitleEditor.js";

/** A column's title and place; for a new column, too. */
export class ColumnDialog {
  #board;

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    for (const how of ["left", "right", "remove", "discard"]) {
      byId(`column-${how}`).onclick = () => byId("column-dialog").close(how);
    }
  }

  /**
   * Returns when the dialog is closed and what was changed is dispatched. What was typed stays as a
   * draft if it is just closed.
   *
   * @param {import("./ColumnView.js").ColumnView} [view]  none for a new column
   */
  async open(view) {
    const name = byId("column-name");
    byId("column-title").textContent = view ? "Column" : "A new column";
    byId("column-places").hidden = byId("column-remove").hidden = !view;
    const old = view?.column.title ?? "";
    const { drafts } = this.#board;
    const draft = titleDraft(view?.column.id ?? "");
    const show = () => {
      const isChanged = name.value.trim() !== old;
      byId("column-discard").textContent = isChanged ? "Discard" : "Cancel";
      return isChanged;
    };
    name.value = drafts.get(draft)?.text ?? old;
    name.oninput = () => drafts.keep(draft, show() ? { text: name.value } : undefined);
    show();
    const { columns } = this.#board;
    const index = view ? columns.indexOf(view) : 0;
    byId("column-left").disabled = index === 0;
    byId("column-right").disabled = index === columns.length - 1;
    byId("column-remove").disabled = (view?.cards.length ?? 0) > 0;
    byId("column-remove").title = "Only an empty column can be removed.";
    const how = await ask(byId("column-dialog"));
    if (how === "save" || how === "discard" || how === "remove") drafts.drop(draft);
    const title = name.value.trim();
    if (!view) {
      if (how === "save" && title) this.#board.dispatch("AddColumn", { title });
      return;
    }
    const column = view.column.id;
    if (how === "remove") this.#board.dispatch("RemoveColumn", { column });
    if (how === "left") this.#move(column, columns[index - 1]);
    if (how === "right") this.#move(column, columns[index + 2]);
    if (how === "save" && title && title !== old) {
      this.#board.dispatch("RenameColumn", { column, title });
    }
  }

  /**
   * @param {string} column
   * @param {import("./ColumnView.js").ColumnView | undefined} before
   */
  #move(column, before) {
    this.#board.dispatch("MoveColumn", { column, before: before?.column.id });
  }
}
