/**
 * What the store of a row needs of those of its table.
 *
 * @typedef {object} RowOwner
 * @property {(id: string) => any} read
 * @property {(row: RowStore<any>) => void} follow
 * @property {(row: RowStore<any>) => void} leave
 */
/**
 * One row of a table, in the shape of every store.
 *
 * @template Row
 */
export class RowStore<Row> {
    /**
     * @param {string} id
     * @param {RowOwner} owner
     */
    constructor(id: string, owner: RowOwner);
    id: string;
    /**
     * The row now; undefined as long as there is none.
     *
     * @returns {Row | undefined}
     */
    getState: () => Row | undefined;
    /**
     * Calls `listener` when the row has changed, has come or gone.
     *
     * @param {() => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: () => void) => () => void;
    /** Tells the listeners, if there is something that they don't know. */
    announce(): void;
    #private;
}
/**
 * What the store of a row needs of those of its table.
 */
export type RowOwner = {
    read: (id: string) => any;
    follow: (row: RowStore<any>) => void;
    leave: (row: RowStore<any>) => void;
};
