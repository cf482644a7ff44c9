"use client";

import { createContext, createElement, useContext, useMemo, useSyncExternalStore } from "react";

/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./store/RemoteStore.js").RemoteStore<any, any>} AnyStore */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */

/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */

/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {Room["selections"][Name]["value"]} ValueOf
 */

/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {Room["selections"][Name]["params"]} ParamsOf
 */

/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @template Part
 * @typedef {object} SelectionOptions
 * @property {(state: ValueOf<Room, Name>) => Part} [select]  what of the state is shown: the
 *     component is rendered when that changes
 * @property {(one: Part, other: Part) => boolean} [isEqual]  what is no change; `Object.is`
 * @property {(state: ValueOf<Room, Name>,
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => ValueOf<Room, Name>} [optimistic]  what
 *     an action makes of the state before the server has answered: the same function every time
 * @property {boolean} [suspense]  suspends the component until there is a state; a selection that
 *     the server doesn't give is thrown, for an error boundary
 */

/**
 * The hooks of one room's connection.
 *
 * @template {RoomTypes} Room
 * @typedef {object} Hooks
 * @property {(props: { connection: Connection<Room>, children?: any }) => any} Provider  lets the
 *     hooks of what is in it use a connection
 * @property {() => Connection<Room>} useConnection
 * @property {{
 *     <Name extends keyof Room["selections"] & string, Part = ValueOf<Room, Name>>(name: Name,
 *         params: ParamsOf<Room, Name> | undefined,
 *         options: SelectionOptions<Room, Name, Part> & { suspense: true }): Part;
 *     <Name extends keyof Room["selections"] & string, Part = ValueOf<Room, Name>>(name: Name,
 *         params?: ParamsOf<Room, Name>,
 *         options?: SelectionOptions<Room, Name, Part>): Part | undefined;
 * }} useSelection  a selection's state, as it changes; undefined until the first has come
 * @property {<Name extends keyof Room["selections"] & string>(name: Name,
 *     params?: ParamsOf<Room, Name>) => Rejection | undefined} useProblem  why the server doesn't
 *     give a selection
 * @property {() => Status} useStatus  how the connection is doing
 * @property {() => number} usePending  how many dispatches have no outcome
 */

/**
 * Hooks for a room of its own types, which have a connection of their own: a page may have several
 * rooms. `createHooks<Room>()` with the types that `storecast types` writes.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @returns {Hooks<Room>}
 */
export function createHooks() {
  /** @type {import("react").Context<Connection<Room> | undefined>} */
  const context = createContext(/** @type {Connection<Room> | undefined} */ (undefined));

  function useConnection() {
    const connection = useContext(context);
    if (!connection) throw new TypeError("There is no connection: this needs a <Provider>.");
    return connection;
  }

  /**
   * @param {any} name
   * @param {any} params
   * @param {any} [optimistic]
   */
  function useStore(name, params, optimistic) {
    const connection = useConnection();
    return useMemo(() => {
      const store = connection.select(name, params, { optimistic });
      // What is rendered may never be shown: five seconds later, somebody has to listen.
      store.release();
      return store;
    }, [connection, name, JSON.stringify(params), optimistic]);
  }

  /** @type {Hooks<Room>["useSelection"]} */
  function useSelection(
    /** @type {string} */ name,
    /** @type {any} */ params,
    /** @type {SelectionOptions<Room, any, any>} */ options = {},
  ) {
    const { select, isEqual, optimistic, suspense } = options;
    const store = useStore(name, params, optimistic);
    const shown = useMemo(
      () => (select ? store.select(select, isEqual) : store),
      [store, select, isEqual],
    );
    if (suspense && store.getState() === undefined) throw store.problem ?? arrival(store);
    return useSyncExternalStore(store.subscribe, shown.getState, shown.getState);
  }

  /** @type {Hooks<Room>["useProblem"]} */
  function useProblem(name, params) {
    const store = useStore(name, params);
    const problem = () => store.problem;
    return useSyncExternalStore(store.subscribe, problem, problem);
  }

  function useStatus() {
    const connection = useConnection();
    const status = () => connection.status;
    return useSyncExternalStore(connection.subscribe, status, status);
  }

  function usePending() {
    const connection = useConnection();
    const pending = () => connection.pendingCount;
    return useSyncExternalStore(connection.subscribe, pending, pending);
  }

  /** @type {Hooks<Room>["Provider"]} */
  const Provider = ({ connection, children }) =>
    createElement(context.Provider, { value: connection }, children);

  return { Provider, useConnection, useSelection, useProblem, useStatus, usePending };
}

/**
 * What suspended components wait for, by their stores.
 *
 * @type {WeakMap<AnyStore, Promise<void>>}
 */
const arrivals = new WeakMap();

/**
 * Fulfilled when a store has a state, or a problem; it is followed until then.
 *
 * @param {AnyStore} store
 */
function arrival(store) {
  const known = arrivals.get(store);
  if (known) return known;
  /** @type {Promise<void>} */
  const arrived = new Promise((resolve) => {
    const end = store.subscribe(() => {
      if (store.getState() === undefined && !store.problem) return;
      end();
      arrivals.delete(store);
      resolve();
    });
  });
  arrivals.set(store, arrived);
  return arrived;
}

/** Those of a page with one room. */
export const { Provider, useConnection, useSelection, useProblem, useStatus, usePending } =
  /* @__PURE__ */ createHooks();
