import { byId } from "../parts/element.js";
import { ask } from "./dialogs.js";

/** A column's title and place; for a new column, too. */
export class ColumnDialog {
  #board;

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    for (const how of ["left", "right", "remove"]) {
      byId(`column-${how}`).onclick = () => byId("column-dialog").close(how);
    }
  }

  /**
   * Returns when the dialog is closed and what was changed is dispatched.
   *
   * @param {import("./ColumnView.js").ColumnView} [view]  none for a new column
   */
  async open(view) {
    const name = byId("column-name");
    byId("column-title").textContent = view ? "Column" : "A new column";
    byId("column-places").hidden = byId("column-remove").hidden = !view;
    name.value = view?.column.title ?? "";
    const { columns } = this.#board;
    const index = view ? columns.indexOf(view) : 0;
    byId("column-left").disabled = index === 0;
    byId("column-right").disabled = index === columns.length - 1;
    byId("column-remove").disabled = (view?.cards.length ?? 0) > 0;
    byId("column-remove").title = "Only an empty column can be removed.";
    const how = await ask(byId("column-dialog"));
    const title = name.value.trim();
    if (!view) {
      if (how === "save" && title) this.#board.dispatch("AddColumn", { title });
      return;
    }
    const column = view.column.id;
    if (how === "remove") this.#board.dispatch("RemoveColumn", { column });
    if (how === "left") this.#move(column, columns[index - 1]);
    if (how === "right") this.#move(column, columns[index + 2]);
    if (how === "save" && title && title !== view.column.title) {
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
