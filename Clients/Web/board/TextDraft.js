import { applyEdit, editOf, moveCursor } from "../storecast/index.js";

/** @typedef {import("../storecast/index.js").SharedText} SharedText */

/**
 * A field in which somebody edits a text that others edit, too: what they make of it is shown as it
 * comes, with what is typed in it.
 */
export class TextDraft {
  #field;
  #editor;
  /** The newest that is known of the text, which the field changes. */
  #shared;

  /**
   * @param {Pick<HTMLTextAreaElement, "value" | "selectionStart" | "selectionEnd" |
   *     "setSelectionRange">} field
   * @param {string} editor  the connection's `participant`
   * @param {SharedText} shared
   */
  constructor(field, editor, shared) {
    this.#field = field;
    this.#editor = editor;
    this.#shared = shared;
    field.value = shared.text;
  }

  /** What is to be saved; undefined if nothing has been changed, or nothing is left. */
  get edit() {
    const { value } = this.#field;
    if (value === this.#shared.text || value.trim() === "") return undefined;
    return editOf(this.#shared, this.#editor, value.trim());
  }

  /** What is typed and not saved, for `restore`; undefined if nothing is. */
  get unsaved() {
    const { value } = this.#field;
    return value === this.#shared.text ? undefined : { text: value, base: this.#shared };
  }

  /**
   * Puts what was typed before into the field, with what others have made of the text since.
   *
   * @param {import("./Drafts.js").Draft} draft
   */
  restore({ text, base }) {
    const news = this.#shared;
    this.#field.value = text;
    if (base?.text === news.text) return;
    try {
      if (!base) throw new TypeError("It isn't known what it was made of.");
      this.#shared = base;
      this.follow(news);
    } catch {
      // Or what the storage had isn't a shared text.
      this.#shared = news;
      this.#field.value = `${news.text}\n${text}`;
    }
  }

  /**
   * Shows what others have made of the text. If it can't be told any more where in it something
   * was typed, the whole field is put behind it.
   *
   * @param {SharedText} news
   */
  follow(news) {
    const { value, selectionStart, selectionEnd } = this.#field;
    const edit = editOf(this.#shared, this.#editor, value);
    const shown = edit ? applyEdit(this.#shared, edit) : this.#shared;
    const merged = edit ? applyEdit(news, edit) : news;
    this.#shared = news;
    if (edit && merged === news) {
      this.#field.value = `${news.text}\n${value}`;
    } else if (value !== merged.text) {
      const [start, end] = [selectionStart, selectionEnd].map((cursor) =>
        moveCursor(cursor, shown, merged, this.#editor)
      );
      this.#field.value = merged.text;
      this.#field.setSelectionRange(start, end);
    }
  }
}
