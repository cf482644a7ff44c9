/** @typedef {import("../session/Action.js").Action} AnyAction */
/**
 * A place between the rows of a query; what is in it is the server's business.
 *
 * @typedef {(null | boolean | number | string)[]} RowCursor
 */
/**
 * A part of the rows of a query, as a server's `RowPage` has them.
 *
 * @template Row
 * @typedef {object} RowPage
 * @property {readonly Row[]} rows
 * @property {number} [count]  how many there are on all pages, if the query counts
 * @property {RowCursor} [start]  the place of the first row; none if there is no row
 * @property {RowCursor} [end]  the place of the last row; none if there is no row
 * @property {boolean} hasBefore  whether there are rows before the first
 * @property {boolean} hasAfter  whether there are rows behind the last
 */
/**
 * Where a page is, as parameters of a selection: behind a place, or before one; else the first.
 *
 * @typedef {{ after?: RowCursor, before?: RowCursor }} PagePlace
 */
/**
 * The pages of a selection of rows, of which one is shown, as a store of that page.
 *
 * To turn is to ask for another page, and to show it when it is there: until then the page shown
 * goes on being live.
 *
 * @template Page  a `RowPage`
 * @template {AnyAction} [Action=AnyAction]
 */
export class PageStore<Page, Action extends import("../session/Action.js").Action = import("../session/Action.js").Action> {
    /**
     * `connection.pages()` does that.
     *
     * @param {(place: PagePlace) => import("./RemoteStore.js").RemoteStore<Page, Action>} storeAt
     */
    constructor(storeAt: (place: PagePlace) => import("./RemoteStore.js").RemoteStore<Page, Action>);
    /**
     * The page shown, as it is now; undefined until the first has come.
     *
     * @returns {Page | undefined}
     */
    getState: () => Page | undefined;
    /**
     * Calls `listener` after changes of the page, when another is shown, and after changes of
     * `isTurning` or `problem`.
     *
     * As a store's selection, the page is followed until five seconds after the last listener has
     * left.
     *
     * @param {() => void} listener
     * @returns {() => void} ends that
     */
    subscribe: (listener: () => void) => () => void;
    /**
     * What is read of the pages, as they change.
     *
     * @template Selected
     * @param {() => Selected | undefined} read
     * @returns {AsyncIterableIterator<Selected>}
     */
    states<Selected>(read: () => Selected | undefined): AsyncIterableIterator<Selected>;
    /**
     * A part of the page shown; see a store's.
     *
     * @template Selected
     * @param {(page: Page) => Selected} selector
     * @param {(one: Selected, other: Selected) => boolean} [isEqual]
     * @returns {SelectedStore<Selected>}
     */
    select<Selected_1>(selector: (page: Page) => Selected_1, isEqual?: ((one: Selected_1, other: Selected_1) => boolean) | undefined): SelectedStore<Selected_1>;
    /**
     * Sends an action to the room; see the connection's.
     *
     * @param {Action} action
     * @param {{ signal?: AbortSignal }} [options]
     */
    dispatch: (action: Action, options?: {
        signal?: AbortSignal;
    } | undefined) => Promise<import("../session/Position.js").Position>;
    /** Whether another page was asked for, and isn't there yet. */
    get isTurning(): boolean;
    /** Why the server sends nothing, or why the last turn led nowhere. */
    get problem(): import("../wire/Rejection.js").Rejection | undefined;
    /** Turns to the rows behind those shown, if there are any. */
    next(): void;
    /** Turns to the rows before those shown, if there are any. */
    previous(): void;
    /** Turns to the first page; also to that of other parameters, where these have changed. */
    first(): void;
    /** Follows nothing any longer, until there is another listener. */
    close(): void;
    /**
     * The pages that are shown, as they change; see a store's. A turn that leads nowhere ends
     * nothing.
     *
     * @returns {AsyncIterableIterator<Page>}
     */
    [Symbol.asyncIterator](): AsyncIterableIterator<Page>;
    #private;
}
export type AnyAction = import("../session/Action.js").Action;
/**
 * A place between the rows of a query; what is in it is the server's business.
 */
export type RowCursor = (null | boolean | number | string)[];
/**
 * A part of the rows of a query, as a server's `RowPage` has them.
 */
export type RowPage<Row> = {
    rows: readonly Row[];
    /**
     * how many there are on all pages, if the query counts
     */
    count?: number | undefined;
    /**
     * the place of the first row; none if there is no row
     */
    start?: RowCursor | undefined;
    /**
     * the place of the last row; none if there is no row
     */
    end?: RowCursor | undefined;
    /**
     * whether there are rows before the first
     */
    hasBefore: boolean;
    /**
     * whether there are rows behind the last
     */
    hasAfter: boolean;
};
/**
 * Where a page is, as parameters of a selection: behind a place, or before one; else the first.
 */
export type PagePlace = {
    after?: (string | number | boolean | null)[];
    before?: (string | number | boolean | null)[];
};
/**
 * A page that was asked for.
 */
export type Turn = {
    place: PagePlace;
    store: import("./RemoteStore.js").RemoteStore<any, any>;
    /**
     * ends listening to it
     */
    end: () => void;
};
import { SelectedStore } from "./SelectedStore.js";
