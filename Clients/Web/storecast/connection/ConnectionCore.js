import { BackOff } from "./BackOff.js";
import { Heartbeat } from "./Heartbeat.js";
import { Socket } from "./Socket.js";
import { allowsReconnect, finalCodes } from "../wire/CloseCode.js";
import { Rejection } from "../wire/Rejection.js";

/** @typedef {import("../session/ClientSession.js").ClientSession} ClientSession */
/** @typedef {import("../wire/ServerFrame.js").Bye} Bye */
/** @typedef {import("./Status.js").Status} Status */

/**
 * A token, or what gets one for every connection, where what it throws counts as a failed try, and
 * whenever the server asks for a newer one because the last one expires.
 *
 * @typedef {string | undefined | (() => string | undefined | Promise<string | undefined>)} Token
 */

/** The longest that a server may take to say welcome, in milliseconds. */
const mostPatience = 20_000;

/** Connects, reconnects, and moves messages between a client session and its socket. */
export class ConnectionCore {
  /** @type {Status} */
  status = { state: "connecting" };

  /** @type {Socket | undefined} */
  #socket;
  /** @type {Bye | undefined} */
  #bye;
  /** Counts tries, so that what belongs to an earlier one is known as such. */
  #attempt = 0;
  #isFlushing = false;
  /** @type {number | undefined} */
  #liveSince;
  /** @type {number | undefined} */
  #awaySince;
  /**
   * The next try, or the end of patience with this one.
   *
   * @type {unknown}
   */
  #timer;
  /** @type {unknown} */
  #holdTimer;
  /**
   * The token that was shown last.
   *
   * @type {string | undefined}
   */
  #token;
  /** By when the server wants a newer one, in the platform's milliseconds. */
  #renewalDeadline = 0;
  /** The attempt whose newer token is being fetched. */
  #renewing = 0;
  /** @type {unknown} */
  #renewalTimer;
  #parts;
  #backOff;
  #heartbeat;
  #unwatch;

  /**
   * @param {object} parts
   * @param {string} parts.url
   * @param {Token} parts.token
   * @param {import("./Socket.js").WebSocketClass} parts.WebSocket
   * @param {import("./Platform.js").Platform} parts.platform
   * @param {ClientSession} parts.session
   * @param {() => void} parts.beforeSending  stores what is to be sent
   * @param {() => void} parts.statusChanged
   */
  constructor(parts) {
    this.#parts = parts;
    const { platform, session } = parts;
    this.#backOff = new BackOff(platform.random);
    this.#heartbeat = new Heartbeat(
      platform,
      () => {
        session.ping();
        this.scheduleFlush();
      },
      () => this.#lost("The server is silent."),
    );
    this.#unwatch = platform.watchNetwork(() => this.networkChanged());
  }

  // Connecting

  async connect() {
    const { platform, token } = this.#parts;
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#bye = undefined;
    this.#setStatus({ state: "connecting" });
    this.#setTimer(() => this.#lost("The server didn't answer in time."), mostPatience);
    this.#awaySince ??= platform.time();
    try {
      const value = typeof token === "function" ? await token() : token;
      if (attempt === this.#attempt) this.#open(value);
    } catch (error) {
      if (attempt === this.#attempt) this.#lost(`There is no token: ${error}`);
    }
  }

  /** Connects at once if it waits or was refused, and counts failures from the beginning. */
  reconnect() {
    this.#backOff.reset();
    if (this.status.state === "offline" || this.status.state === "refused") this.connect();
  }

  /** @param {string | undefined} token */
  #open(token) {
    const { WebSocket, url, session } = this.#parts;
    const opened = () => {
      this.#token = token;
      session.connected(token);
      this.#flush();
    };
    const received = (/** @type {string} */ text) => {
      this.#heartbeat.heard();
      if (session.receive(text)) this.scheduleFlush();
      else this.#lost("The server doesn't keep to the protocol.");
    };
    const closed = (/** @type {number} */ code, /** @type {string} */ reason) =>
      this.#closed(code, reason);
    try {
      this.#socket = new Socket(WebSocket, url, { opened, received, closed });
    } catch (error) {
      this.refuse(new Rejection("unusable-url", "This program can't connect there.", `${error}`));
    }
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    const bye = this.#bye;
    const isOpen = this.#parts.session.phase !== "offline";
    const title = isOpen ? "The connection was lost." : "The server can't be reached.";
    const because = bye?.title ?? (reason || title);
    if (bye?.reconnect ?? allowsReconnect(code)) this.#lost(because, bye);
    else this.refuse(new Rejection(bye?.code ?? finalCodes.get(code) ?? `close-${code}`, because));
  }

  /**
   * The connection is of no use any more: tries another one, later.
   *
   * @param {string} because
   * @param {Bye} [bye]
   */
  #lost(because, bye) {
    this.#drop();
    const { platform } = this.#parts;
    const delay = this.#backOff.next(bye) * 1000;
    this.#awaySince ??= platform.time();
    const retryAt = Math.ceil(platform.time() + delay);
    this.#setStatus({ state: "offline", since: this.#awaySince, retryAt, because });
    this.#setTimer(() => void this.connect(), delay);
  }

  /**
   * There is no use in trying again, until somebody says so.
   *
   * @param {Rejection} rejection
   */
  refuse(rejection) {
    this.#drop();
    this.#setStatus({ state: "refused", code: rejection.code, because: rejection.message });
  }

  /** Ends everything. */
  close() {
    this.#drop();
    this.#unwatch();
    this.#setStatus({ state: "closed" });
  }

  /** Lets go of the socket, of which nothing more is heard. */
  #drop() {
    const { platform, session } = this.#parts;
    this.#attempt += 1;
    this.#heartbeat.stop();
    platform.clearTimeout(this.#timer);
    platform.clearTimeout(this.#holdTimer);
    platform.clearTimeout(this.#renewalTimer);
    this.#socket?.close();
    this.#socket = undefined;
    session.disconnected();
    if (this.#liveSince === undefined) return;
    this.#backOff.wasLive((platform.now() - this.#liveSince) / 1000);
    this.#liveSince = undefined;
  }

  /** The machine may have got another network, or was woken up. */
  networkChanged() {
    // How long a server wants to be left alone doesn't depend on the network.
    if (this.status.state === "offline" && !this.#bye) this.reconnect();
    else if (this.status.state === "live") this.#heartbeat.probe();
  }

  // Messages out

  /** Sends what there is behind all that is being asked for now, in as few messages as can be. */
  scheduleFlush() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush() {
    const { beforeSending, session } = this.#parts;
    beforeSending();
    if (session.phase === "offline") return;
    for (let text = session.nextMessage(); text !== undefined; text = session.nextMessage()) {
      this.#socket?.send(text);
    }
  }

  // From the session

  welcomed() {
    const { platform, session } = this.#parts;
    platform.clearTimeout(this.#timer);
    this.#liveSince = platform.now();
    this.#awaySince = undefined;
    this.#heartbeat.start(session.heartbeat);
    this.#setStatus({ state: "live" });
  }

  /** @param {number} seconds */
  held(seconds) {
    const { platform, session } = this.#parts;
    this.#holdTimer = platform.setTimeout(() => {
      session.endHold();
      this.scheduleFlush();
    }, seconds * 1000);
  }

  // Renewal

  /**
   * Shows the server a newer token, on a connection that is live.
   *
   * @param {string} token
   */
  authenticate(token) {
    this.#token = token;
    // If it expires soon, too, the server asks again.
    this.#renewalDeadline = 0;
    this.#parts.platform.clearTimeout(this.#renewalTimer);
    this.#parts.session.authenticate(token);
    this.scheduleFlush();
  }

  /**
   * The server asks for a newer token.
   *
   * @param {number} seconds  until the last one expires
   */
  renew(seconds) {
    this.#renewalDeadline = this.#parts.platform.now() + seconds * 1000;
    void this.#renew();
  }

  /** Fetches a newer token; if there is none, again when half of the time that is left is over. */
  async #renew() {
    const { platform, token } = this.#parts;
    if (typeof token !== "function" || this.#renewing === this.#attempt) return;
    const attempt = this.#attempt;
    this.#renewing = attempt;
    const shown = this.#token;
    let newer;
    try {
      newer = await token();
    } catch {
      // As one that is the same: when all the time is over, the server ends the connection.
      newer = this.#token;
    }
    if (attempt !== this.#attempt) return;
    this.#renewing = 0;
    if (newer === undefined) return;
    // Another one that was shown meanwhile is newer than what was asked for before.
    if (newer !== this.#token && shown === this.#token) return this.authenticate(newer);
    const left = this.#renewalDeadline - platform.now();
    if (left <= 1000) return;
    platform.clearTimeout(this.#renewalTimer);
    this.#renewalTimer = platform.setTimeout(() => void this.#renew(), left / 2);
  }

  /** @param {Bye} bye */
  bye(bye) {
    this.#bye = bye;
  }

  /** @param {Status} status */
  #setStatus(status) {
    this.status = status;
    this.#parts.statusChanged();
  }

  /**
   * @param {() => void} work
   * @param {number} milliseconds
   */
  #setTimer(work, milliseconds) {
    this.#parts.platform.clearTimeout(this.#timer);
    this.#timer = this.#parts.platform.setTimeout(work, milliseconds);
  }
}
