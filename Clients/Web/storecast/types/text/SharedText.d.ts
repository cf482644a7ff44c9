/**
 * A text that nobody has edited yet.
 *
 * @param {string} [text]
 * @param {number} [memory]
 * @returns {SharedText}
 */
export function sharedText(text?: string | undefined, memory?: number | undefined): SharedText;
/**
 * What an editor has seen to whom this text is shown, their own waiting edits included.
 *
 * @param {SharedText} shared
 * @param {string} editor
 * @returns {TextVersion}
 */
export function textVersion({ turns, revision }: SharedText, editor: string): TextVersion;
/**
 * The edit by which an editor makes another text of this one, as it is shown to them; undefined if
 * it is the same. What both have in common, whole words of it, is left as it is.
 *
 * @param {SharedText} shared
 * @param {string} editor  the `participant` of the connection that dispatches the edit
 * @param {string} text
 * @returns {TextEdit | undefined}
 */
export function editOf(shared: SharedText, editor: string, text: string): TextEdit | undefined;
/**
 * The text after an edit, for optimistic reducers; the same object if the edit can't be applied.
 *
 * @param {SharedText} shared
 * @param {TextEdit} edit
 * @returns {SharedText}
 */
export function applyEdit(shared: SharedText, { version, changes }: TextEdit): SharedText;
/**
 * Where a cursor stands of an editor who was shown `older` and is shown `newer` now, both in UTF-16
 * code units as a text field's `selectionStart` is. At the same distance from the beginning, if it
 * can't be told.
 *
 * @param {number} cursor
 * @param {SharedText} older
 * @param {SharedText} newer
 * @param {string} editor
 */
export function moveCursor(cursor: number, older: SharedText, newer: SharedText, editor: string): number;
/**
 * Where an offset in a version of the text is now, both in Unicode scalars: behind the same scalar,
 * or where that was; undefined if it can't be told. For cursors of others, which travel as a
 * version and an offset.
 *
 * @param {SharedText} shared
 * @param {number} offset
 * @param {TextVersion} version
 * @returns {number | undefined}
 */
export function offsetNow(shared: SharedText, offset: number, version: TextVersion): number | undefined;
/**
 * Tells which spans somebody sees; undefined if that isn't known.
 *
 * @param {SharedText} shared
 * @param {TextVersion} version
 * @returns {((span: Span) => boolean) | undefined}
 */
export function sight(shared: SharedText, version: TextVersion): ((span: Span) => boolean) | undefined;
/**
 * The last edit of their own that the version's editor has seen; undefined if it isn't there.
 *
 * @param {SharedText} shared
 * @param {TextVersion} version
 */
export function lastOwn({ turns, revision }: SharedText, { editor, base, own }: TextVersion): number | undefined;
/**
 * Undefined if it isn't known any more. O(log turns).
 *
 * @param {SharedText} shared
 * @param {number} edit
 */
export function editorOf({ turns }: SharedText, edit: number): string;
/**
 * What an editor of a shared text has seen of it: all edits up to `base`, and so many of their own,
 * which came after it or are still to come.
 */
export type TextVersion = {
    readonly editor: string;
    readonly base: number;
    readonly own: number;
};
/**
 * A part of a text that is replaced by another. `at` and `delete` count Unicode scalars (code
 * points), in the text before the edit.
 */
export type TextChange = {
    readonly at: number;
    readonly delete: number;
    readonly insert: string;
};
/**
 * An edit of a shared text, for an action to carry.
 */
export type TextEdit = {
    readonly version: TextVersion;
    readonly changes: readonly TextChange[];
};
/**
 * A text that several edit at once without losing anything, as Swift's `SharedText` has it in a
 * room's state. `text` is what to show; the rest is what is remembered of recent edits.
 */
export type SharedText = {
    text: string;
    /**
     * how many edits have been applied
     */
    revision: number;
    /**
     * how much is remembered of recent ones, at most
     */
    memory: number;
    /**
     * everybody is taken to have seen the edits up to this one
     */
    folded: number;
    /**
     * from the one with the edit `folded`
     */
    turns: readonly Turn[];
    spans: readonly Span[];
};
/**
 * A run of edits of one editor, beginning with the edit `from`.
 */
export type Turn = {
    readonly editor: string;
    readonly from: number;
};
/**
 * Scalars beside one another that came and went with the same edits. Those that are deleted aren't
 * in the text any more.
 */
export type Span = {
    readonly count: number;
    readonly inserted?: number | undefined;
    readonly deleted?: readonly number[] | undefined;
};
