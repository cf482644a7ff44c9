/** @typedef {import("./connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./wire/Rejection.js").Rejection} Rejection */

/**
 * @template {RoomTypes} Room
 * @typedef {import("./connection/Connection.js").Connection<Room>} Connection
 */

/**
 * A store as Svelte has them: `$store` in a component, or `fromStore(store)` with runes.
 *
 * @template State
 * @typedef {object} SvelteStore
 * @property {(run: (state: State) => void) => () => void} subscribe  calls `run` at once, and after
 *     changes
 */

/**
 * @template {RoomTypes} Room
 * @template {keyof Room["selections"] & string} Name
 * @typedef {object} SelectionOptions
 * @property {(state: Room["selections"][Name]["value"],
 *     action: import("./connection/Connection.js").ActionOf<Room>,
 *     stamp: import("./store/OptimisticValue.js").Stamp) => Room["selections"][Name]["value"]
 *     } [optimistic]  what an action makes of the state before the server has answered: the same
 *     function every time
 */

/**
 * Any store of a connection, or a part of one, for Svelte.
 *
 * @template State
 * @param {{ getState: () => State, subscribe: (listener: () => void) => () => void }} store
 * @returns {SvelteStore<State>}
 */
export function readable({ getState, subscribe }) {
  return {
    subscribe: (run) => {
      // What changes while it is called for the first time is told, too.
      const end = subscribe(() => run(getState()));
      run(getState());
      return end;
    },
  };
}

/**
 * A selection's state, as it changes; undefined until the first has come. It is followed as long as
 * a component shows it, and five seconds longer.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template {keyof Room["selections"] & string} [Name=keyof Room["selections"] & string]
 * @param {Connection<Room>} connection
 * @param {Name} name
 * @param {Room["selections"][Name]["params"]} [params]
 * @param {SelectionOptions<Room, Name>} [options]
 * @returns {SvelteStore<Room["selections"][Name]["value"] | undefined>}
 */
export function selection(connection, name, params, options) {
  const store = connection.select(name, params, options);
  store.release();
  return readable(store);
}

/**
 * Why the server doesn't give a selection; undefined if it does.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template {keyof Room["selections"] & string} [Name=keyof Room["selections"] & string]
 * @param {Connection<Room>} connection
 * @param {Name} name
 * @param {Room["selections"][Name]["params"]} [params]
 * @returns {SvelteStore<Rejection | undefined>}
 */
export function problem(connection, name, params) {
  const store = connection.select(name, params);
  store.release();
  return readable({ subscribe: store.subscribe, getState: () => store.problem });
}

/**
 * How a connection is doing.
 *
 * @param {Connection<any>} connection
 * @returns {SvelteStore<Status>}
 */
export function status(connection) {
  const { subscribe } = connection;
  return readable({ subscribe, getState: () => connection.status });
}

/**
 * How many dispatches of a connection have no outcome.
 *
 * @param {Connection<any>} connection
 * @returns {SvelteStore<number>}
 */
export function pending(connection) {
  const { subscribe } = connection;
  return readable({ subscribe, getState: () => connection.pendingCount });
}
