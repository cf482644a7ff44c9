import { inject, onScopeDispose, shallowRef, unref, watch } from "vue";

/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */

/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */

/**
 * What may be given as it is, as a ref, or as a function that reads refs.
 *
 * @template Value
 * @typedef {Value | { readonly value: Value } | (() => Value)} Given
 */

/**
 * @template State
 * @typedef {Readonly<import("vue").ShallowRef<State>>} StateRef
 */

/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @template Part
 * @typedef {object} SelectionOptions
 * @property {(state: Room["selections"][Name]["value"]) => Part} [select]  what of the state is
 *     shown
 * @property {(one: Part, other: Part) => boolean} [isEqual]  what is no change; `Object.is`
 * @property {(state: Room["selections"][Name]["value"],
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]
 *     } [optimistic]  what an action makes of the state before the server has answered: the same
 *     function every time
 */

/**
 * The composables of one room's connection.
 *
 * @template {RoomTypes} Room
 * @typedef {object} Composables
 * @property {(app: import("vue").App, connection: Connection<Room>) => void} install  lets an app's
 *     components use a connection: `app.use(composables, connection)`
 * @property {() => Connection<Room>} useConnection
 * @property {<Name extends keyof Room["selections"] & string,
 *     Part = Room["selections"][Name]["value"]>(name: Name,
 *     params?: Given<Room["selections"][Name]["params"]>,
 *     options?: SelectionOptions<Room, Name, Part>) => StateRef<Part | undefined>} useSelection  a
 *     selection's state, as it changes; undefined until the first has come. Where the parameters
 *     are reactive, other ones are another selection
 * @property {<Name extends keyof Room["selections"] & string>(name: Name,
 *     params?: Given<Room["selections"][Name]["params"]>) => StateRef<Rejection | undefined>
 *     } useProblem  why the server doesn't give a selection
 * @property {() => StateRef<Status>} useStatus  how the connection is doing
 * @property {() => StateRef<number>} usePending  how many dispatches have no outcome
 */

/**
 * Composables for a room of its own types, which have a connection of their own: a page may have
 * several rooms. `createComposables<Room>()` with the types that `storecast types` writes.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @returns {Composables<Room>}
 */
export function createComposables() {
  const key = Symbol("storecast");

  function useConnection() {
    const connection = inject(key, /** @type {Connection<Room> | undefined} */ (undefined));
    if (!connection) throw new TypeError("There is no connection: call app.use(…, connection).");
    return connection;
  }

  /**
   * Follows what a selection is at the moment.
   *
   * @param {(store: import("./store/RemoteStore.js").RemoteStore<any, any>) =>
   *     import("./store/SelectedStore.js").Readable<any>} read
   * @param {any} name
   * @param {any} params
   * @param {any} [optimistic]
   */
  function useStore(read, name, params, optimistic) {
    const connection = useConnection();
    const state = shallowRef(/** @type {any} */ (undefined));
    const given = () => JSON.stringify(typeof params === "function" ? params() : unref(params));
    let end = () => {};
    const follow = (/** @type {string | undefined} */ text) => {
      end();
      const plain = text === undefined ? undefined : JSON.parse(text);
      const source = read(connection.select(name, plain, { optimistic }));
      end = source.subscribe(() => (state.value = source.getState()));
      state.value = source.getState();
    };
    watch(given, follow, { immediate: true, flush: "sync" });
    onScopeDispose(() => end());
    return state;
  }

  /** @param {(connection: Connection<Room>) => any} read */
  function useReading(read) {
    const connection = useConnection();
    const value = shallowRef(read(connection));
    onScopeDispose(connection.subscribe(() => (value.value = read(connection))));
    return value;
  }

  return {
    install: (app, connection) => void app.provide(key, connection),
    useConnection,
    useSelection: (name, params, { select, isEqual, optimistic } = {}) =>
      useStore(
        (store) => (select ? store.select(select, isEqual) : store),
        name,
        params,
        optimistic,
      ),
    useProblem: (name, params) =>
      useStore(
        (store) => ({ subscribe: store.subscribe, getState: () => store.problem }),
        name,
        params,
      ),
    useStatus: () => useReading(({ status }) => status),
    usePending: () => useReading(({ pendingCount }) => pendingCount),
  };
}

/** Those of a page with one room: `app.use(storecast, connection)`. */
export const { install, useConnection, useSelection, useProblem, useStatus, usePending } =
  /* @__PURE__ */ createComposables();
