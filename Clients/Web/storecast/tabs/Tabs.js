import { isObject } from "../wire/JSONValue.js";
import { TabFollower } from "./TabFollower.js";
import { TabLeader } from "./TabLeader.js";

/** @typedef {import("../connection/ConnectionCore.js").ConnectionCore} ConnectionCore */
/** @typedef {import("../outbox/OutboxStorage.js").OpenOutbox} OpenOutbox */
/** @typedef {import("../outbox/OutboxStorage.js").SharedOutbox} SharedOutbox */

/**
 * What a tab needs of its connection.
 *
 * @typedef {object} TabParts
 * @property {import("../connection/Platform.js").Platform} platform
 * @property {import("../session/ClientSession.js").ClientSession} session
 * @property {import("../session/Outbox.js").Outbox} outbox
 * @property {Pick<import("../connection/Connection.js").Connection, "status" | "authenticate"
 *     | "reconnect">} connection
 * @property {(open: OpenOutbox) => void} lead  the outbox is this tab's: connects
 * @property {(follower: TabFollower) => void} follow  another tab has the outbox: lets go of it
 * @property {(problem?: unknown) => void} alone  the tab can't share: has a connection of its own
 * @property {(newer?: string) => void} restore  the client's id is known: shows what was kept, or
 *     what another tab has
 * @property {() => string | undefined} kept  what this tab would keep
 * @property {() => void} changed  the status has
 * @property {() => void} pendingChanged
 * @property {() => void} scheduleFlush
 * @property {() => void} networkChanged  as the browser has told another tab
 * @property {() => void} wipe  takes the cache away
 */

/** The version of what tabs say to one another; a tab of another version stays alone. */
const version = 1;

/** How long to wait when the outbox can't be opened, in milliseconds. */
const pause = 5000;

/** @typedef {{ abort: AbortController, release: () => void, isGranted: boolean }} Claim */

/**
 * The tabs of a browser that share one connection and one outbox. One leads: it holds a lock, and
 * has the socket, the outbox and the cache. The others follow it, by messages. When it is closed
 * or stopped, or is silent for too long, another one takes the outbox over, with all that is in it.
 *
 * The outbox's storage decides who leads: whoever opened it last is the only one who can write, and
 * nothing is sent that isn't written.
 */
export class Tabs {
  /** Names this tab. */
  tab;

  #channel;
  #locks;
  #openChannel;
  /** @type {TabLeader | TabFollower | undefined} */
  #role;
  /** The newest opening of the outbox that was heard of. */
  #opening = 0;
  /**
   * The request for the lock that is waiting or was granted; another one, if it was lost.
   *
   * @type {Claim | undefined}
   */
  #claim;
  /** Lets go of this tab's own lock. */
  #leave = () => {};
  #isOver = false;
  /** Fulfilled when this tab may take a part. */
  #ready = /** @type {Promise<unknown>} */ (Promise.resolve());
  #unwatch;
  #shared;
  #parts;

  /**
   * @param {SharedOutbox} shared
   * @param {import("../outbox/Slots.js").Locks} locks
   * @param {(name: string) => import("../connection/Platform.js").Channel} openChannel
   * @param {TabParts} parts
   */
  constructor(shared, locks, openChannel, parts) {
    this.tab = parts.platform.newClient();
    this.#shared = shared;
    this.#locks = locks;
    this.#openChannel = openChannel;
    this.#parts = parts;
    this.#channel = openChannel(shared.name);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    this.#unwatch = parts.platform.watchSleep(
      () => this.#sleep(),
      () => this.#wake(),
    );
  }

  /** This tab's part, if it is the one that leads. */
  get leader() {
    return this.#role instanceof TabLeader ? this.#role : undefined;
  }

  /**
   * Asks at once for all that it needs, and takes its part when it has it: the browser needs a
   * while for each.
   *
   * @param {Promise<void> | undefined} reading  what has to be read before
   */
  async start(reading) {
    // While it is held, the others keep the outcomes for which this tab waits.
    const holding = new Promise((ready) => {
      const held = () =>
        new Promise((release) => {
          this.#leave = () => release(undefined);
          ready(undefined);
        });
      this.#locks.request(this.#lockOf(this.tab), {}, held).catch(() => ready(undefined));
    });
    this.#ready = Promise.all([holding, reading]);
    this.#claimLock(false);
    await this.#ready;
    if (this.#isOver) return this.#leave();
    this.#follow();
    if (!this.#claim) this.#claimLock(false);
  }

  /** No tab is to keep anything in the cache; this one may be closed already. */
  wipe() {
    const { name } = this.#shared;
    const channel = this.#isOver ? this.#openChannel(name) : this.#channel;
    channel.postMessage(this.#signed({ kind: "wipe" }));
    if (this.#isOver) channel.close();
  }

  close() {
    if (this.#isOver) return;
    this.#post({ kind: "leave" });
    this.#isOver = true;
    this.#unwatch();
    this.#role?.stop();
    this.#letGo();
    this.#shared.close();
    this.#channel.onmessage = null;
    this.#channel.close();
    this.#leave();
  }

  // Who leads

  #follow() {
    this.#role?.stop();
    const follower = new TabFollower(this.tab, this.#parts, {
      post: (message) => this.#post(message),
      // Unless it is this tab that is about to lead.
      silent: () => this.#claim?.isGranted || this.#claimLock(true),
    });
    this.#role = follower;
    this.#parts.follow(follower);
    follower.join();
  }

  /**
   * Asks for the lock of the one that leads.
   *
   * @param {boolean} isSteal  takes it away from a tab that has stopped
   */
  #claimLock(isSteal) {
    this.#letGo();
    const abort = new AbortController();
    const claim = { abort, release: () => {}, isGranted: false };
    this.#claim = claim;
    const held = () =>
      new Promise((release) => {
        claim.isGranted = true;
        claim.release = () => release(undefined);
        if (this.#claim === claim) void this.#lead(claim);
        else claim.release();
      });
    const options = isSteal ? { steal: true } : { signal: abort.signal };
    this.#locks.request(this.#shared.name, options, held).catch((problem) => {
      if (problem?.name === "AbortError") this.#lost(claim);
      // The browser denies it, and would do so again.
      else if (this.#claim === claim) this.#failed(problem);
    });
  }

  #letGo() {
    const claim = this.#claim;
    this.#claim = undefined;
    claim?.release();
    if (claim && !claim.isGranted) claim.abort.abort();
  }

  /** @param {Claim} claim */
  async #lead(claim) {
    this.#post({ kind: "coming" });
    try {
      const lost = () => this.#lost(claim);
      const open = await this.#shared.open(this.#parts.platform.newClient, lost);
      const makers = open.contents.dispatches.flatMap(({ tab }) => tab ?? []);
      const gone = await this.#goneOf(new Set(makers));
      await this.#ready;
      if (this.#claim !== claim) return open.close();
      this.#opening = open.contents.opening ?? 0;
      this.#role?.stop();
      /** @type {TabLeader} */
      const leader = new TabLeader(this.tab, this.#parts, {
        post: (message) => this.#post({ opening: this.#opening, ...message }),
        watch: (tab) => void this.#watch(tab, leader),
      });
      this.#role = leader;
      this.#parts.lead(open);
      leader.begin(gone);
    } catch (problem) {
      if (this.#claim !== claim) return;
      this.#failed(problem);
    }
  }

  /**
   * The outbox can't be opened, or locked.
   *
   * @param {unknown} problem
   */
  #failed(problem) {
    if (this.#opening === 0) {
      this.close();
      return this.#parts.alone(problem);
    }
    // What others have taken of this tab is in there. Perhaps one of them can.
    this.#letGo();
    this.#parts.platform.setTimeout(() => {
      if (!this.#isOver && !this.#claim) this.#claimLock(false);
    }, pause);
  }

  /**
   * Another tab took it for stopped.
   *
   * @param {Claim} claim
   */
  #lost(claim) {
    if (this.#claim !== claim) return;
    if (this.#role) this.#follow();
    this.#claimLock(false);
  }

  /** The browser is about to stop this tab: another one is to lead. */
  #sleep() {
    if (this.#isOver || !this.#claim) return;
    this.#letGo();
    if (this.leader) this.#follow();
    this.#role?.stop();
  }

  #wake() {
    if (this.#isOver || this.#claim || !this.#role) return;
    this.#follow();
    this.#claimLock(false);
  }

  // Locks of the single tabs

  /** @param {string} tab */
  #lockOf(tab) {
    return `${this.#shared.name} ${tab}`;
  }

  /**
   * Those of these tabs that are there no more.
   *
   * @param {Set<string>} tabs
   */
  async #goneOf(tabs) {
    /** @type {Set<string>} */
    const gone = new Set();
    const looks = [...tabs].map(async (tab) => {
      if (tab === this.tab) return;
      const look = (/** @type {unknown} */ lock) => lock && gone.add(tab);
      await this.#locks.request(this.#lockOf(tab), { ifAvailable: true }, look);
    });
    await Promise.all(looks);
    return gone;
  }

  /**
   * Tells the leader when a tab is there no more.
   *
   * @param {string} tab
   * @param {TabLeader} leader
   */
  async #watch(tab, leader) {
    const { signal } = leader.ending;
    try {
      await this.#locks.request(this.#lockOf(tab), { signal }, () => leader.gone(tab));
    } catch {
      // This tab doesn't lead any more.
    }
  }

  // Messages

  /** @param {object} message  said by nobody any more who is closed, whatever the program asks */
  #post(message) {
    if (!this.#isOver) this.#channel.postMessage(this.#signed(message));
  }

  /** @param {object} message */
  #signed(message) {
    return { storecast: version, from: this.tab, ...message };
  }

  /** @param {any} message */
  #receive(message) {
    if (!isObject(message) || typeof message.from !== "string" || this.#isOver) return;
    const { storecast, to, kind, opening } = /** @type {any} */ (message);
    if (to !== undefined && to !== this.tab) return;
    // Whoever says so: it is in no version's interest to keep what is to go.
    if (kind === "wipe") return this.#parts.wipe();
    if (storecast !== version) return this.#metOther(kind);
    const isComing = this.#claim?.isGranted && !this.leader;
    if (isComing && (kind === "join" || kind === "ping")) return this.#post({ kind: "coming" });
    if (opening !== undefined) {
      // One that was stopped doesn't know yet that it leads no more.
      if (!(opening >= this.#opening)) return;
      this.#opening = opening;
      if (this.leader && this.#claim) return this.#lost(this.#claim);
    }
    this.#role?.receive(message);
  }

  /**
   * A tab that speaks another version leads.
   *
   * @param {unknown} kind
   */
  #metOther(kind) {
    if (this.leader || (kind !== "lead" && kind !== "state")) return;
    this.close();
    this.#parts.alone();
  }
}
