/**
 * The rows of a table in a store's state, each of which has listeners of its own.
 *
 * A change costs what the rows cost that it touches, whatever the number of listeners; and a look
 * at every row where patches don't tell what they touched, as behind a snapshot or in the state
 * that an optimistic reducer makes. The store is followed while there are listeners.
 *
 * @template Row
 * @template {string} [Id=string]
 */
export class Rows<Row, Id extends string = string> {
    /**
     * `store.rows()` and `store.orderedRows()` do that.
     *
     * @param {import("./SelectedStore.js").Readable<any>} parent  whose state is the table
     * @param {TableForm} form
     */
    constructor(parent: import("./SelectedStore.js").Readable<any>, form: TableForm);
    /**
     * The ids in the table's order, as a store: its listeners are called when rows have come, gone or
     * moved. Undefined as long as there is no state. O(n) after such a change.
     *
     * @type {import("./SelectedStore.js").Readable<readonly Id[] | undefined>}
     */
    ids: import("./SelectedStore.js").Readable<readonly Id[] | undefined>;
    /**
     * One row, as a store: its listeners are called when that row has changed. Undefined as long as
     * there is none. The same store as long as it has listeners.
     *
     * @param {Id} id
     * @returns {RowStore<Row>}
     */
    row(id: Id): RowStore<Row>;
    /**
     * Calls `listener` with the rows that have changed since it was last called; at first with those
     * that have changed since now. One that only moved has the same row as before.
     *
     * @param {(changes: readonly RowChange<Row, Id>[]) => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: (changes: readonly RowChange<Row, Id>[]) => void) => () => void;
    #private;
}
export type TableForm = import("./TableForm.js").TableForm;
export type Members = Record<string, unknown>;
/**
 * A row that has changed.
 */
export type RowChange<Row, Id extends string = string> = {
    id: Id;
    /**
     * the row before; undefined if it came
     */
    old: Row | undefined;
    /**
     * the row now; undefined if it went
     */
    new: Row | undefined;
    /**
     * whether it was there, and has another rank in an ordered table
     */
    isMove: boolean;
};
import { RowStore } from "./RowStore.js";
