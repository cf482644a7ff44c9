/** @typedef {import("./RemoteStore.js").RemoteStore<any, any>} RemoteStore */
/** The stores of a connection that follow the server. */
export class StoreTable {
    /**
     * The one for all who ask for the same.
     *
     * @param {string} key  of the mirror
     * @param {RemoteStore["reduce"]} reduce
     */
    find(key: string, reduce: import("./RemoteStore.js").RemoteStore<any, any>["reduce"]): import("./RemoteStore.js").RemoteStore<any, any> | undefined;
    /** @param {RemoteStore} store */
    add(store: import("./RemoteStore.js").RemoteStore<any, any>): void;
    /** @param {RemoteStore} store */
    delete(store: import("./RemoteStore.js").RemoteStore<any, any>): void;
    /** Those that show what is dispatched at once. */
    get optimistic(): import("./RemoteStore.js").RemoteStore<any, any>[];
    #private;
}
export type RemoteStore = import("./RemoteStore.js").RemoteStore<any, any>;
