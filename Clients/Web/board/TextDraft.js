import { applyEdit, editOf, moveCursor } from "../storecast/index.js";

/** @typedef {import("../storecast/index.js").SharedText} SharedText */
/** @typedef {import("../storecast/index.js").TextEdit} TextEdit */

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
   * What the field shows of the newest text and of what was typed in an older one.
   *
   * @type {{ shown: string, typed: { text: string, base: SharedText } } | undefined}
   */
  #merged;

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
    if (!this.unsaved || this.#field.value.trim() === "") return undefined;
    const { base, text } = this.#typed;
    const edit = editOf(base, this.#editor, text.trim());
    return edit && apart(edit, base, this.#shared);
  }

  /** The text of which `edit` is made. */
  get base() {
    return this.#typed.base;
  }

  /** What is typed and not saved, for `restore`; undefined if nothing is. */
  get unsaved() {
    return this.#field.value === this.#shared.text ? undefined : this.#typed;
  }

  /** What was typed, and of which text it was made: as long as nothing else is typed, the first. */
  get #typed() {
    const { value } = this.#field;
    const merged = this.#merged;
    return merged?.shown === value ? merged.typed : { text: value, base: this.#shared };
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
    const typed = this.#typed;
    // Who has typed the same has nothing to add.
    const isSame = typed.text === news.text;
    const change = editOf(typed.base, this.#editor, isSame ? typed.base.text : typed.text);
    const edit = change && apart(change, typed.base, news);
    const shown = edit ? applyEdit(this.#shared, edit) : this.#shared;
    const merged = edit ? applyEdit(news, edit) : news;
    this.#shared = news;
    this.#merged = undefined;
    if (edit && merged === news) {
      this.#field.value = `${news.text}\n${value}`;
      return;
    }
    if (edit) this.#merged = { shown: merged.text, typed };
    if (value === merged.text) return;
    const [start, end] = [selectionStart, selectionEnd].map((cursor) =>
      moveCursor(cursor, shown, merged, this.#editor)
    );
    this.#field.value = merged.text;
    this.#field.setSelectionRange(start, end);
  }
}

/**
 * An edit whose words don't become one with those that somebody else has put beside them.
 *
 * @param {TextEdit} edit
 * @param {SharedText} base  the text of which it was made
 * @param {SharedText} news  the same as others have made it
 * @returns {TextEdit}
 */
function apart(edit, base, news) {
  const alone = jointsOf(applyEdit(base, edit));
  const together = jointsOf(applyEdit(news, edit));
  if (alone.length !== together.length) return edit;
  let place = 0;
  const changes = edit.changes.map((change) => {
    if (!change.insert) return change;
    const [before, after] = [alone[place], together[place++]];
    if (!before || !after) return change;
    const [start, end] = [0, 1].map((side) => (after[side] && !before[side] ? " " : ""));
    return { ...change, insert: `${start}${change.insert}${end}` };
  });
  return { ...edit, changes };
}

/**
 * Whether what the last edit has inserted is one word with what is before it, and with what is
 * behind it, for each part of it.
 *
 * @param {SharedText} shared
 */
function jointsOf({ text, revision, spans }) {
  const scalars = Array.from(text);
  /** @type {(end: number) => boolean} */
  const isInWord = (end) => isLetter(scalars[end - 1]) && isLetter(scalars[end]);
  const joints = [];
  let end = 0;
  for (const { count, inserted, deleted } of spans) {
    if (deleted) continue;
    if (inserted === revision) joints.push([isInWord(end), isInWord(end + count)]);
    end += count;
  }
  return joints;
}

const isLetter = (scalar = "") => /^[\p{L}\p{N}_]$/u.test(scalar);
