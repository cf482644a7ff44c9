/**
 * Tells of everything that happens, one by one and in order, where listeners of changes only hear
 * that something has changed. Listeners are called as soon as the connection is done with what has
 * happened, so that they may do anything to it.
 */
export class Events {
    /**
     * @param {string} name
     * @param {(...details: any[]) => void} listener
     * @returns {() => void} ends that
     * @throws {TypeError} if there is no such event
     */
    on(name: string, listener: (...details: any[]) => void): () => void;
    /**
     * @param {string} name
     * @param {unknown[]} details
     */
    tell(name: string, ...details: unknown[]): void;
    #private;
}
/**
 * A selection that the server has ended: the viewer may not have it any more, or it can't be worked
 * out any longer.
 */
export type Lapsed = {
    selection: string;
    params: unknown;
    rejection: import("../wire/Rejection.js").Rejection;
};
/**
 * What happens on a connection, by its name, and what a listener is called with.
 */
export type ConnectionEvents<Action> = {
    /**
     * each that the connection takes
     */
    status: (status: import("./Status.js").Status) => void;
    /**
     * the server has rejected an action, maybe one that an earlier program dispatched
     */
    rejected: (rejection: import("../wire/Rejection.js").Rejection, action: Action) => void;
    /**
     * the server has ended a selection
     */
    lapsed: (lapsed: Lapsed) => void;
};
