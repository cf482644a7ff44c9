import { element } from "../parts/element.js";

/**
 * Has a column's title edited in its place. Enter saves it; Escape keeps what was typed for the
 * next time.
 *
 * @param {import("./ColumnView.js").ColumnView} view
 * @param {HTMLElement} heading
 * @param {import("./BoardView.js").BoardView} board
 */
export function editTitle({ column }, heading, board) {
  const draft = titleDraft(column.id);
  const field = element("input", { class: "title", maxlength: "80", "aria-label": "Title" });
  const isChanged = () => field.value.trim() !== column.title;
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    field.replaceWith(heading);
  };
  field.value = board.drafts.get(draft)?.text ?? column.title;
  field.oninput = () => board.drafts.keep(draft, isChanged() ? { text: field.value } : undefined);
  field.onblur = () => isChanged() || close();
  field.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.isComposing) return;
    const title = field.value.trim();
    if (!title) return;
    if (isChanged()) board.dispatch("RenameColumn", { column: column.id, title });
    board.drafts.drop(draft);
    close();
  };
  heading.replaceWith(field);
  field.select();
}

/**
 * What the draft of a column's title is called.
 *
 * @param {string} id
 */
export const titleDraft = (id) => `column ${id}`;
