import { onAbort, untilAborted } from "./abort.js";
import { CacheWriter } from "./CacheWriter.js";
import { ConnectionCore } from "./ConnectionCore.js";
import { Events } from "./Events.js";
import { OutboxWriter } from "./OutboxWriter.js";
import { platform as standardPlatform } from "./Platform.js";
import { ClientSession } from "../session/ClientSession.js";
import { Mirror } from "../session/Mirror.js";
import { spanOf } from "../session/Entry.js";
import { once } from "../session/once.js";
import { Outbox } from "../session/Outbox.js";
import { stampId } from "../session/stampId.js";
import { Announcer } from "../store/Announcer.js";
import { Listeners } from "../store/Listeners.js";
import { PageStore } from "../store/PageStore.js";
import { RemoteStore } from "../store/RemoteStore.js";
import { StoreTable } from "../store/StoreTable.js";
import { Tabs } from "../tabs/Tabs.js";
import { inspectJSON } from "../wire/JSONText.js";
import { Rejection } from "../wire/Rejection.js";

/** @typedef {import("../session/Action.js").Action} Action */
/** @typedef {import("../session/Position.js").Position} Position */
/** @typedef {import("./Status.js").Status} Status */
/** @typedef {import("../wire/ServerFrame.js").Identity} Identity */
/** @typedef {import("../store/OptimisticValue.js").Stamp} Stamp */
/** @typedef {import("../tabs/TabFollower.js").TabFollower} TabFollower */

/**
 * What a room has, for editors and type checkers: the values and parameters of its selections by
 * name, and the payloads of its actions by type.
 *
 * @typedef {object} RoomTypes
 * @property {Record<string, { value: unknown, params?: unknown }>} selections
 * @property {Record<string, unknown>} actions
 */

/**
 * A room of which nothing is known.
 *
 * @typedef {object} AnyRoom
 * @property {Record<string, { value: any, params?: any }>} selections
 * @property {Record<string, any>} actions
 */

/**
 * An action's payload, which may be left out if it has no member that has to be there.
 *
 * @template Payload
 * @typedef {undefined extends Payload ? { readonly payload?: Payload }
 *     : {} extends Payload ? { readonly payload?: Payload }
 *     : { readonly payload: Payload }} PayloadOf
 */

/**
 * The actions of a room.
 *
 * @template {RoomTypes} Room
 * @typedef {{ [Type in keyof Room["actions"] & string]:
 *     { readonly type: Type } & PayloadOf<Room["actions"][Type]> }[keyof Room["actions"]
 *     & string]} ActionOf
 */

/**
 * The names of the selections whose values are pages of rows.
 *
 * @template {RoomTypes} Room
 * @typedef {{ [Name in keyof Room["selections"] & string]:
 *     Room["selections"][Name]["value"] extends import("../store/PageStore.js").RowPage<any>
 *     ? Name : never }[keyof Room["selections"] & string]} PagesOf
 */

/**
 * @typedef {object} ConnectionOptions
 * @property {import("./ConnectionCore.js").Token} [token]  proves who this is
 * @property {import("../outbox/OutboxStorage.js").OutboxStorage} [outbox]  where dispatches wait
 *     for their outcome; in memory if left out
 * @property {import("../cache/CacheStorage.js").CacheOptions} [cache]  where the states of stores
 *     are kept for the next time that the program is started; they aren't if left out
 * @property {boolean} [tabs]  shares one connection, and one outbox, among the browser's tabs that
 *     have an outbox of this name; the outbox has to be an `indexedDBOutbox()`. Where tabs can't
 *     tell one another apart (outside of `https:` and `localhost`) each has a connection of its own
 * @property {number} [largestValue]  the largest value of a selection that is taken, in bytes of
 *     its JSON text; 64 MiB if left out. The store of a larger one has the `problem` `too-large`.
 *     With 0 the server is asked to send no value in parts, and any size is taken
 * @property {AbortSignal} [signal]  closes the connection when it is aborted
 * @property {import("./Socket.js").WebSocketClass} [WebSocket]  where there is no global one
 * @property {import("../store/Announcer.js").Notify} [notify]  when listeners hear of what the
 *     server has changed; `"frame"` if left out. What this program dispatches is told at once
 * @property {(rejection: Rejection, action: Action) => void} [onRejected]  called with every
 *     rejection by the server, also of what was dispatched before the page was loaded
 * @property {() => string | undefined} [traceparent]  what the dispatch that is made just now
 *     belongs to, as the field of that name in W3C Trace Context: the server's span of it becomes
 *     that one's child
 * @property {(message: string) => void} [onTrouble]  called with what is worth logging; logs a
 *     warning if left out
 * @property {Partial<import("./Platform.js").Platform>} [platform]  time and chance, for tests
 */

/**
 * A connection to one room of a server, shared by any number of stores.
 *
 * It connects at once, and again whenever the connection is lost, until `close()`: after a delay
 * that doubles with every failure from a quarter of a second to 30 seconds, shortened by chance to
 * as little as half; at once when the browser finds a network or the page is shown again.
 *
 * @template {RoomTypes} [Room=AnyRoom]
 */
export class Connection {
  #listeners = new Listeners();
  #events = new Events();
  #stores = new StoreTable();
  #outbox = new Outbox();
  /** @type {Rejection | undefined} */
  #outboxProblem;
  #platform;
  #announcer;
  #session;
  #writer;
  /** @type {CacheWriter | undefined} */
  #cache;
  /** @type {Tabs | undefined} */
  #tabs;
  #unwatch;
  /** @type {ConnectionCore | TabFollower} */
  #core;
  #trouble;
  #traceparent;

  /**
   * Starts to connect; `connect()` does that.
   *
   * @param {string} url
   * @param {ConnectionOptions & { WebSocket: import("./Socket.js").WebSocketClass }} options
   */
  constructor(url, options) {
    const {
      token,
      outbox,
      cache,
      tabs,
      largestValue,
      WebSocket,
      notify = "frame",
      onRejected,
      traceparent = () => undefined,
      onTrouble = (message) => console.warn(`storecast: ${message}`),
      platform: parts,
      ...unknown
    } = options;
    const platform = { ...standardPlatform, ...parts };
    this.#platform = platform;
    this.#trouble = onTrouble;
    this.#traceparent = traceparent;
    this.#warnOf(unknown);
    this.#outbox.onRejected = (rejection, action) => {
      this.#events.tell("rejected", rejection, action);
      onRejected?.(rejection, action);
    };
    this.#announcer = new Announcer(notify, platform);
    const session = new ClientSession(this.#outbox, {
      welcomed: () => {
        this.#core.welcomed();
        // Optimistic reducers may ask who acts.
        this.#pendingChanged();
      },
      moved: () => this.#cache?.schedule(),
      relay: (frames) => this.#tabs?.leader?.relay(frames),
      forbidden: () => void this.#cache?.save(),
      lapsed: (mirrors) => {
        for (const { selection, parameters: params, failure: rejection } of mirrors) {
          this.#events.tell("lapsed", { selection, params, rejection });
        }
      },
      pendingChanged: () => this.#pendingChanged(),
      core: () => this.#core,
      trouble: this.#trouble,
    });
    session.largestValue = largestValue ?? session.largestValue;
    this.#session = session;
    this.#writer = this.#makeWriter();
    const makeCore = () =>
      new ConnectionCore({
        url,
        token,
        WebSocket,
        platform,
        session,
        beforeSending: () => this.#writer.write(),
        statusChanged: () => this.#statusChanged(),
      });
    this.#core = makeCore();
    if (cache) this.#cache = new CacheWriter(url, cache, platform, session);
    this.#unwatch = platform.watchHiding(() => void this.saveCache());
    this.#outbox.client = platform.newClient();
    this.#outbox.isOpen = !outbox;
    this.#outbox.ask = () => this.#writer.check();
    if (tabs) this.#tabs = this.#makeTabs(url, outbox, makeCore);
    void this.#start(url, outbox);
  }

  /**
   * Stands for this client in everyone's sight: in a room's presence, and as the editor of shared
   * texts. The same as long as its outbox is, which is open when stores have their first states.
   * Nothing from which the client's id could be worked out.
   */
  get participant() {
    return stampId(this.#session.client, 0);
  }

  /** How the connection is doing. */
  get status() {
    return this.#core.status;
  }

  /**
   * Whom the server takes this client for, as of its last welcome; undefined before the first, and
   * if the server is of a version that doesn't say.
   *
   * @returns {Identity | undefined}
   */
  get identity() {
    return this.#session.identity;
  }

  /** How many dispatches have no outcome: what an app shows as "3 changes not saved yet". */
  get pendingCount() {
    return this.#outbox.entries.length;
  }

  /**
   * How many of them would be lost with the page: the outbox's storage hasn't got them yet, or the
   * tab that leads. 0 if there is no storage.
   */
  get unstoredCount() {
    return this.#outbox.unstored;
  }

  /**
   * Why dispatches aren't stored; undefined if they are, or needn't be.
   *
   * @returns {Rejection | undefined}
   */
  get outboxProblem() {
    return this.#outboxProblem;
  }

  /**
   * Calls `listener` after changes of `status`, `identity`, `pendingCount`, `unstoredCount` or
   * `outboxProblem`.
   *
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => this.#listeners.add(listener);

  /**
   * Calls `listener` with everything of a kind that happens, one by one: `"status"`, `"rejected"`
   * or `"lapsed"`.
   *
   * @template {keyof import("./Events.js").ConnectionEvents<ActionOf<Room>>} Name
   * @param {Name} name
   * @param {import("./Events.js").ConnectionEvents<ActionOf<Room>>[Name]} listener
   * @param {{ signal?: AbortSignal }} [options]  a signal that ends that, too
   * @returns {() => void} ends that
   * @throws {TypeError} if there is no such event
   */
  on(name, listener, options) {
    const end = this.#events.on(name, listener);
    const forget = onAbort(options?.signal, end);
    return () => {
      forget();
      end();
    };
  }

  /**
   * A live mirror of one selection of the room. Who selects the same gets the same store, as long
   * as the selection is followed.
   *
   * @template {keyof Room["selections"] & string} Name
   * @param {Name} name
   * @param {Room["selections"][Name]["params"]} [params]  left out if the selection has none
   * @param {object} [options]
   * @param {(state: Room["selections"][Name]["value"], action: ActionOf<Room>, stamp: Stamp) =>
   *     Room["selections"][Name]["value"]} [options.optimistic]  what an action makes of the state,
   *     as a new value: shows what is dispatched before the server has answered. `stamp.id` is the
   *     id that a Swift server's stamp is going to have; `stamp.sender` is `identity`.
   *     Give the same function every time
   * @param {AbortSignal} [options.signal]  when it is aborted, the store is released: followed no
   *     more if it has no listeners, five seconds later
   * @returns {RemoteStore<Room["selections"][Name]["value"], ActionOf<Room>>}
   * @throws {TypeError} if the parameters can't be written as JSON; the signal's reason, if it is
   *     aborted
   */
  select(name, params, options) {
    const { optimistic, signal, ...unknown } = options ?? {};
    this.#warnOf(unknown);
    signal?.throwIfAborted();
    const mirror = new Mirror(name, plain(params));
    const known = this.#stores.find(mirror.key, optimistic);
    const store = known ?? new RemoteStore(this.#owner, mirror, optimistic);
    onAbort(signal, () => store.release());
    return store;
  }

  /**
   * The state of a selection, read once: from the server, or from a live store of this connection.
   * To see your own dispatches in it, await their outcomes first.
   *
   * @template {keyof Room["selections"] & string} Name
   * @param {Name} name
   * @param {Room["selections"][Name]["params"]} [params]  left out if the selection has none
   * @param {{ signal?: AbortSignal }} [options]  a signal that ends the wait, which has no other
   *     end while there is no connection: `AbortSignal.timeout(5000)`
   * @returns {Promise<Room["selections"][Name]["value"]>} rejects with a `Rejection` if there is no
   *     such selection, the viewer may not have it, or the connection is refused or closed; with
   *     the signal's reason; with a `TypeError` if the parameters can't be written as JSON
   */
  async once(name, params, options) {
    options?.signal?.throwIfAborted();
    const { value, fail, end } = once(this.#session, new Mirror(name, plain(params)));
    const look = (/** @type {Status} */ status) => {
      if (status.state === "refused") fail(new Rejection(status.code, status.because));
      if (status.state === "closed") fail(new Rejection("closed", "The connection is closed."));
    };
    const forget = this.on("status", look);
    look(this.status);
    this.#core.scheduleFlush();
    try {
      return await untilAborted(value, options?.signal);
    } finally {
      forget();
      end();
      this.#core.scheduleFlush();
    }
  }

  /**
   * The pages of a selection of rows, the first of which is shown.
   *
   * @template {PagesOf<Room>} Name
   * @param {Name} name
   * @param {(place: import("../store/PageStore.js").PagePlace) =>
   *     Room["selections"][Name]["params"]} params  of the page at a place: `(place) =>
   *     ({ limit: 50, ...place })` if the server's parameters are called `after` and `before`
   * @param {object} [options]
   * @param {(state: Room["selections"][Name]["value"], action: ActionOf<Room>, stamp: Stamp) =>
   *     Room["selections"][Name]["value"]} [options.optimistic]  what an action makes of a page
   * @returns {PageStore<Room["selections"][Name]["value"], ActionOf<Room>>}
   */
  pages(name, params, options) {
    return new PageStore((place) => this.select(name, params(place), options));
  }

  /**
   * Sends an action to the room, in the order of the calls, and once however often the connection
   * breaks. Optimistic stores show it when this returns.
   *
   * @param {ActionOf<Room>} action
   * @param {{ signal?: AbortSignal }} [options]  a signal that ends the wait for the outcome, not
   *     the action; nothing is dispatched if it is aborted already
   * @returns {Promise<Position>} the position at which it was reduced; every store shows it by
   *     then. Rejects with a `Rejection`, or the signal's reason. May be ignored: that is no
   *     unhandled rejection
   */
  dispatch = (action, options) => {
    const signal = options?.signal;
    if (signal?.aborted) return untilAborted(new Promise(() => {}), signal);
    /** @type {Promise<Position>} */
    const outcome = new Promise((resolve, reject) => {
      const traceparent = spanOf(this.#traceparent());
      this.#outbox.append(action, this.#session.position, resolve, reject, traceparent);
    });
    outcome.catch(() => {});
    this.#tabs?.leader?.appended();
    this.#pendingChanged();
    if (this.#stores.optimistic.length > 0) this.#announcer.flush();
    this.#core.scheduleFlush();
    return untilAborted(outcome, signal);
  };

  /**
   * Shows the server a newer token of the same identity, on the connection that there is.
   *
   * @param {string} token
   */
  authenticate(token) {
    this.#core.authenticate(token);
  }

  /**
   * Writes what has changed to the cache now, as happens when the page is hidden.
   *
   * @returns {Promise<void>} fulfilled when that is done, or can't be
   */
  async saveCache() {
    await this.#cache?.save();
  }

  /**
   * Takes the cache away, and keeps nothing from now on, in tabs that share the connection neither:
   * for when somebody logs out. Works on a closed connection too. Stores go on showing what they
   * show.
   *
   * @returns {Promise<void>} rejects if the storage can't
   */
  async wipeCache() {
    this.#tabs?.wipe();
    await this.#cache?.wipe();
  }

  /** Connects at once if it waits to try again, or was refused. */
  reconnect() {
    this.#core.reconnect();
  }

  /**
   * Ends the connection for good. Dispatches without an outcome end with `closed`, which doesn't
   * say what became of them; those that are stored go on with whoever opens the outbox next.
   */
  close() {
    if (this.status.state === "closed") return;
    this.#writer.write();
    this.#unwatch();
    this.#tabs?.close();
    this.#core.close();
    this.#session.close(new Rejection("closed", "The connection is closed."));
    this.#writer.close();
    this.#cache?.close();
  }

  /**
   * @param {object} unknown  options that there aren't
   */
  #warnOf(unknown) {
    for (const name of Object.keys(unknown)) this.#trouble(`There is no option '${name}'.`);
  }

  /** Tells the listeners. */
  announce() {
    this.#listeners.call();
  }

  /**
   * @param {string} url
   * @param {import("../outbox/OutboxStorage.js").OutboxStorage | undefined} storage
   */
  async #start(url, storage) {
    if (this.#tabs) return this.#tabs.start(this.#cache?.read());
    if (storage) {
      try {
        const open = await storage.open(url, this.#platform.newClient);
        if (this.status.state === "closed") return open.close();
        this.#writer.open(open);
        this.#pendingChanged();
      } catch (error) {
        // The outbox is in memory, then.
        this.#outbox.isOpen = true;
        const title = "The outbox can't be opened.";
        const unopened = new Rejection("outbox-unreadable", title, String(error));
        this.#setOutboxProblem(error instanceof Rejection ? error : unopened);
      }
    }
    await this.#cache?.read();
    if (this.status.state === "closed") return;
    this.#cache?.open(url);
    if (this.#core instanceof ConnectionCore) void this.#core.connect();
  }

  /**
   * The tabs of this browser with which to share; undefined where it can't be done.
   *
   * @param {string} url
   * @param {import("../outbox/OutboxStorage.js").OutboxStorage | undefined} storage
   * @param {() => ConnectionCore} makeCore
   */
  #makeTabs(url, storage, makeCore) {
    const { locks, openChannel } = this.#platform;
    if (!storage?.shared) throw new TypeError("Tabs share an indexedDBOutbox(): give one.");
    if (!locks || !openChannel) return undefined;
    const outbox = this.#outbox;
    /** @param {string} [newer] */
    const restore = (newer) => this.#cache?.open(url, newer);
    const become = (/** @type {ConnectionCore | TabFollower} */ core) => {
      const last = this.#core;
      this.#core = core;
      if (last instanceof ConnectionCore) last.close();
      this.#writer.close();
      this.#writer = this.#makeWriter();
      outbox.refusal = undefined;
      if (this.#cache) this.#cache.isWriting = core instanceof ConnectionCore;
    };
    const cannotShare = (/** @type {unknown} */ problem) =>
      this.#trouble(`The tabs can't share a connection: ${problem}`);
    /** @type {import("../tabs/Tabs.js").TabParts} */
    const parts = {
      platform: this.#platform,
      session: this.#session,
      outbox,
      connection: this,
      lead: (open) => {
        const core = makeCore();
        become(core);
        this.#writer.open(open);
        restore();
        this.#pendingChanged();
        void core.connect();
      },
      follow: become,
      alone: (problem) => {
        this.#tabs = undefined;
        outbox.leave(this.#platform.newClient());
        become(makeCore());
        if (problem) cannotShare(problem);
        void this.#start(url, storage);
      },
      restore,
      kept: () => this.#cache?.text,
      changed: () => this.#statusChanged(),
      pendingChanged: () => this.#pendingChanged(),
      scheduleFlush: () => this.#core.scheduleFlush(),
      networkChanged: () => {
        if (this.#core instanceof ConnectionCore) this.#core.networkChanged();
      },
      wipe: () => void this.#cache?.wipe().catch(() => {}),
    };
    const shared = storage.shared(url);
    try {
      const tabs = new Tabs(shared, locks, openChannel, parts);
      outbox.share(tabs.tab);
      return tabs;
    } catch (problem) {
      // Some browsers deny a channel to pages that may store nothing.
      shared.close();
      cannotShare(problem);
      return undefined;
    }
  }

  #makeWriter() {
    return new OutboxWriter(this.#outbox, this.#platform, (problem) => this.#wrote(problem));
  }

  #statusChanged() {
    this.#announcer.add(this);
    this.#tabs?.leader?.statusChanged();
    const { status } = this;
    this.#events.tell("status", status);
    if (status.state === "offline") this.#cache?.schedule();
    if (status.state === "live") this.#cache?.admit();
    // Who may not enter the room may not have anything of it.
    if (status.state === "refused" && status.code === "forbidden") void this.#cache?.clear();
  }

  /** @param {Rejection | undefined} problem */
  #wrote(problem) {
    if (problem || this.#outboxProblem) this.#setOutboxProblem(problem);
    this.#announcer.add(this);
    this.#outbox.refusal = problem;
    this.#core.scheduleFlush();
  }

  /** @param {Rejection | undefined} problem */
  #setOutboxProblem(problem) {
    if (problem) this.#trouble(problem.message);
    this.#outboxProblem = problem;
    this.#announcer.add(this);
  }

  #pendingChanged() {
    this.#announcer.add(this);
    for (const store of this.#stores.optimistic) this.#announcer.add(store);
  }

  /**
   * What stores need of the connection.
   *
   * @returns {import("../store/RemoteStore.js").StoreOwner}
   */
  get #owner() {
    const session = this.#session;
    return {
      session,
      outbox: this.#outbox,
      platform: this.#platform,
      trouble: this.#trouble,
      dispatch: this.dispatch,
      changed: (store) => this.#announcer.add(store),
      follow: (mirror, store) => {
        this.#stores.add(store);
        this.#core.scheduleFlush();
        return session.follow(mirror);
      },
      leave: (mirror, store) => {
        this.#stores.delete(store);
        session.release(mirror);
        this.#core.scheduleFlush();
      },
    };
  }
}

/**
 * Parameters as the server will read them.
 *
 * @param {unknown} params
 */
function plain(params) {
  const text = JSON.stringify(params);
  if (text === undefined) return undefined;
  const value = JSON.parse(text);
  inspectJSON(value);
  return value;
}
