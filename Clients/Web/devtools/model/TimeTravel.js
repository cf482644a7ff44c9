import { PatchedValue } from "../../storecast/wire/PatchedValue.js";
import { differences } from "./differences.js";
import { Follower } from "./Follower.js";

/** @typedef {import("./types.js").StateAnswer} StateAnswer */
/** @typedef {import("./differences.js").Difference} Difference */

/**
 * What is shown of a room's state.
 *
 * @typedef {object} Shown
 * @property {number} version
 * @property {unknown} state
 * @property {readonly Difference[]} changes  what the last dispatch changed, or what is otherwise
 *     because of what is skipped
 * @property {number} since  the version that the changes start from
 * @property {number} affected
 */

/**
 * The state now and at a chosen version, perhaps without some of the dispatches: of a room, or of a
 * log that was imported.
 */
export class TimeTravel {
  #live;
  #then;
  #importedNow;
  #importedThen;
  #room = "";
  /** @type {Shown | undefined} */
  #now;
  /**
   * The imported log that is looked at.
   *
   * @type {{ id: string, newest: number } | undefined}
   */
  #imported;
  /**
   * What was made of the last answers.
   *
   * @type {WeakMap<StateAnswer, Shown>}
   */
  #made = new WeakMap();
  /**
   * Undefined for the newest.
   *
   * @type {number | undefined}
   */
  version;
  /** @type {readonly number[]} */
  skipped = [];

  /**
   * @param {import("../../storecast/index.js").Connection} connection
   * @param {() => void} changed
   */
  constructor(connection, changed) {
    /** @returns {Follower<StateAnswer>} */
    const follower = (/** @type {string} */ name, /** @type {() => void} */ told) =>
      new Follower(connection, name, told);
    this.#live = follower("state", () => (this.#took(), changed()));
    this.#then = follower("stateAt", changed);
    this.#importedNow = follower("importedAt", changed);
    this.#importedThen = follower("importedAt", changed);
  }

  /** @param {string} room */
  enter(room) {
    if (room === this.#room && !this.#imported) return;
    if (room !== this.#room) {
      this.#room = room;
      this.#now = undefined;
    }
    this.leaveImported();
    this.#live.follow({ room });
  }

  /**
   * Looks at a log that was imported, until {@link leaveImported}.
   *
   * @param {string} id
   * @param {number} newest  its last version
   */
  enterImported(id, newest) {
    this.#imported = { id, newest };
    this.#importedNow.follow({ id, version: newest });
    this.look(undefined);
  }

  leaveImported() {
    this.#imported = undefined;
    this.#importedNow.leave();
    this.look(undefined);
  }

  /** @param {number | undefined} version */
  look(version) {
    this.version = version;
    if (version === undefined) this.skipped = [];
    this.#ask();
  }

  /**
   * Leaves a version's dispatch out, or no longer.
   *
   * @param {number} version
   */
  skip(version) {
    const without = this.skipped.filter((other) => other !== version);
    const isNew = without.length === this.skipped.length;
    this.skipped = isNew ? [...without, version].sort((one, other) => one - other) : without;
    this.version ??= this.newest;
    this.#ask();
  }

  skipNothing() {
    this.skipped = [];
    this.#ask();
  }

  get newest() {
    return this.#imported?.newest ?? this.#now?.version ?? 0;
  }

  /**
   * The state of now, or at the imported log's end.
   *
   * @returns {Shown | undefined}
   */
  get now() {
    if (!this.#imported) return this.#now;
    const shown = this.#shown(this.#importedNow.value);
    return shown && "problem" in shown ? undefined : shown;
  }

  /** Why there is no state of now. */
  get problem() {
    return (this.#imported ? this.#importedNow : this.#live).value?.problem;
  }

  /**
   * The state at the chosen version; undefined while it isn't known.
   *
   * @returns {Shown | { problem: string } | undefined}
   */
  get then() {
    return this.#shown((this.#imported ? this.#importedThen : this.#then).value);
  }

  /**
   * @param {StateAnswer | undefined} answer
   * @returns {Shown | { problem: string } | undefined}
   */
  #shown(answer) {
    if (!answer) return undefined;
    if (answer.problem) return { problem: answer.problem };
    const shown = this.#made.get(answer) ?? pastOf(answer);
    this.#made.set(answer, shown);
    return shown;
  }

  #ask() {
    const { version, skipped: skip } = this;
    const [asked, other] = this.#imported
      ? [this.#importedThen, this.#then]
      : [this.#then, this.#importedThen];
    other.leave();
    if (version === undefined) return asked.leave();
    const kept = skip.filter((other) => other <= version);
    const subject = this.#imported ? { id: this.#imported.id } : { room: this.#room };
    asked.follow({ ...subject, version, ...(kept.length > 0 && { skip: kept }) });
  }

  #took() {
    const answer = this.#live.value;
    if (!answer || answer.problem || answer.version === this.#now?.version) return;
    const { version, state } = answer;
    const changes = this.#now ? differences(this.#now.state, state) : [];
    this.#now = { version, state, changes, since: this.#now?.version ?? version, affected: 0 };
  }
}

/** @param {StateAnswer} answer */
function pastOf({ version, state, undo = [], affected = 0 }) {
  const other = new PatchedValue(state);
  other.apply(undo);
  const changes = differences(other.value, state);
  return { version, state, changes, since: Math.max(0, version - 1), affected };
}
