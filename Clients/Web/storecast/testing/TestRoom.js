import { connect } from "../connection/connect.js";
import { onAbort } from "../connection/abort.js";
import { platform } from "../connection/Platform.js";
import { Rejection } from "../wire/Rejection.js";
import { socketClass } from "./RoomPeer.js";

/** @typedef {import("../connection/Connection.js").AnyRoom} AnyRoom */
/** @typedef {import("../connection/Connection.js").ConnectionOptions} ConnectionOptions */
/** @typedef {import("../connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("../wire/ServerFrame.js").Identity} Identity */
/** @typedef {{ id: string, sender: Identity }} RoomStamp */

/**
 * @template {RoomTypes} Room
 * @typedef {import("../connection/Connection.js").Connection<Room>} Connection
 */

/**
 * @template {RoomTypes} Room
 * @typedef {import("../connection/Connection.js").ActionOf<Room>} ActionOf
 */

/**
 * What a room does, as the server does it, in JavaScript.
 *
 * @template {RoomTypes} Room
 * @template State
 * @typedef {object} RoomRules
 * @property {State} state  with which it begins
 * @property {(state: State, action: ActionOf<Room>, stamp: RoomStamp) => State} reduce  from a
 *     state and an action the next state, as a new value; throws a `Rejection` to reject the action
 * @property {{ [Name in keyof Room["selections"]]: (state: State,
 *     params: Room["selections"][Name]["params"], viewer: Identity) =>
 *     Room["selections"][Name]["value"] }} selections  what clients see of the state; each may
 *     throw a `Rejection`, to clients that may not have it
 */

/** So many turns without anything to do mean that nothing more comes by itself. */
const quiet = 50;

/**
 * A room in memory, for tests of what uses a connection: several clients, without a server, sockets
 * or waiting. The clients are real: all that is between a test and its room is the same as in an
 * app, and everything happens when `settled()` is awaited.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 * @template [State=any]
 */
export class TestRoom {
  /** How many actions were reduced. */
  version = 0;
  /**
   * The state now.
   *
   * @type {State}
   */
  state;

  /** @type {Map<string, import("./RoomPeer.js").Account>} */
  #accounts = new Map();
  /** @type {Map<Connection<Room>, Line>} */
  #lines = new Map();
  /** @type {(() => void)[]} */
  #received = [];
  /** @type {Rejection[]} */
  #rejections = [];
  #isPaused = false;
  #underWay = 0;
  /** @type {unknown[]} */
  #errors = [];
  #rules;

  /** @param {RoomRules<Room, State>} rules */
  constructor(rules) {
    this.#rules = rules;
    this.state = rules.state;
  }

  /**
   * A client of the room. Its listeners hear behind each message; `notify` has it otherwise.
   *
   * @param {ConnectionOptions & { identity?: Partial<Identity> }} [options]  as for `connect()`,
   *     and whom the room takes it for
   * @returns {Connection<Room>}
   */
  connect(options = {}) {
    const { identity, signal, ...rest } = options;
    /** @type {Line} */
    const line = { isOnline: true, sockets: new Set() };
    const who = { id: "", roles: [], ...identity };
    const WebSocket = socketClass(this, who, line.sockets, () => line.isOnline);
    const surroundings = { setTimeout: idleTimer, requestFrame: undefined, ...rest.platform };
    /** @type {Connection<Room>} */
    const connection = connect("ws://test/", {
      notify: "microtask",
      ...rest,
      WebSocket,
      platform: surroundings,
    });
    onAbort(signal, () => connection.close());
    this.#lines.set(connection, line);
    return connection;
  }

  /**
   * Cuts the lines of connections; of all, if none is named. Until `online()` they find no server.
   *
   * @param {Connection<Room>[]} connections
   */
  offline(...connections) {
    for (const [, line] of this.#linesOf(connections)) {
      line.isOnline = false;
      for (const socket of [...line.sockets]) socket.cut();
    }
  }

  /**
   * Gives connections their lines again, on which they come back at once; all, if none is named.
   *
   * @param {Connection<Room>[]} connections
   */
  online(...connections) {
    for (const [connection, line] of this.#linesOf(connections)) {
      line.isOnline = true;
      connection.reconnect();
    }
  }

  /** What clients send is taken when `resume()` is called: so what is pending can be looked at. */
  pause() {
    this.#isPaused = true;
  }

  resume() {
    this.#isPaused = false;
    this.#turn();
  }

  /**
   * The next action that comes is rejected, whatever the reducer would say.
   *
   * @param {string} code
   * @param {string} [title]
   * @param {string} [detail]
   */
  rejectNext(code, title = "The test rejects it.", detail) {
    this.#rejections.push(new Rejection(code, title, detail));
  }

  /**
   * Something happens that no client of the test does.
   *
   * @param {ActionOf<Room>} action
   * @param {Partial<RoomStamp>} [stamp]
   * @throws {Rejection} if the reducer rejects it
   */
  dispatch(action, stamp = {}) {
    const server = { id: `server-${this.version}`, sender: { id: "server", roles: [] } };
    this.reduce(JSON.parse(JSON.stringify(action)), { ...server, ...stamp });
    this.#tell();
  }

  /**
   * Fulfilled when every message is delivered and nothing more comes by itself. It takes no time,
   * and no timer: a test's fake ones may be there.
   *
   * @returns {Promise<void>} rejects with what a reducer or selection has thrown that is no
   *     `Rejection`
   */
  async settled() {
    for (let turns = 0; turns < quiet; turns += 1) {
      if (this.#underWay > 0) turns = 0;
      await undefined;
    }
    const [error] = this.#errors.splice(0);
    if (error !== undefined) throw error;
  }

  /** Closes every connection of the room. */
  close() {
    for (const connection of this.#lines.keys()) connection.close();
    this.#lines.clear();
  }

  // For the connections' ends.

  /**
   * @param {string} client
   * @returns {import("./RoomPeer.js").Account}
   */
  account(client) {
    const known = this.#accounts.get(client);
    if (known) return known;
    const account = { lastSeq: 0, rejected: [] };
    this.#accounts.set(client, account);
    return account;
  }

  /**
   * @param {string} name
   * @param {any} params
   * @param {Identity} viewer
   * @returns {unknown} as a client has it
   */
  value(name, params, viewer) {
    const { selections } = this.#rules;
    if (!Object.hasOwn(selections, name)) {
      throw new Rejection("unknown-selection", "There is no such selection.", `'${name}'`);
    }
    const select = /** @type {any} */ (selections)[name];
    return JSON.parse(JSON.stringify(select(this.state, params, viewer) ?? null));
  }

  /**
   * @param {any} action
   * @param {RoomStamp} stamp
   */
  reduce(action, stamp) {
    const rejection = this.#rejections.shift();
    if (rejection) throw rejection;
    this.state = this.#rules.reduce(this.state, action, stamp);
    this.version += 1;
  }

  /**
   * What a client is told of something that a rule has thrown. What is no rejection is a mistake,
   * of which `settled()` tells the test.
   *
   * @param {unknown} error
   */
  problem(error) {
    if (error instanceof Rejection) {
      const { code, title, detail } = error;
      return { code, title, detail };
    }
    this.#errors.push(error);
    return { code: "internal", title: "The room has failed.", detail: String(error) };
  }

  /**
   * A message comes from a client.
   *
   * @param {() => void} take
   */
  receive(take) {
    this.#received.push(take);
    this.later(() => this.#turn());
  }

  /**
   * Does something soon, for which `settled()` waits.
   *
   * @param {() => unknown} work
   */
  later(work) {
    this.#underWay += 1;
    queueMicrotask(() => {
      this.#underWay -= 1;
      this.#try(work);
    });
  }

  #turn() {
    if (this.#isPaused || this.#received.length === 0) return;
    for (const take of this.#received.splice(0)) this.#try(take);
    this.#tell();
  }

  #tell() {
    for (const { sockets } of this.#lines.values()) {
      for (const { peer } of sockets) this.#try(() => peer.tell());
    }
  }

  /** @param {() => unknown} work */
  #try(work) {
    try {
      work();
    } catch (error) {
      this.#errors.push(error);
    }
  }

  /** @param {Connection<Room>[]} connections */
  #linesOf(connections) {
    return [...this.#lines].filter(
      ([connection]) => connections.length === 0 || connections.includes(connection),
    );
  }
}

/**
 * The way from a client to the room.
 *
 * @typedef {object} Line
 * @property {boolean} isOnline
 * @property {Set<{ cut: () => void, peer: import("./RoomPeer.js").RoomPeer }>} sockets
 */

/**
 * A timer that keeps no test's process from ending.
 *
 * @type {import("../connection/Platform.js").Platform["setTimeout"]}
 */
const idleTimer = (work, milliseconds) => {
  const timer = /** @type {any} */ (platform.setTimeout(work, milliseconds));
  timer?.unref?.();
  return timer;
};
