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

/** The state of a room now and at a chosen version, perhaps without some of the dispatches. */
export class TimeTravel {
  #live;
  #then;
  #room = "";
  /** @type {Shown | undefined} */
  #now;
  /** @type {{ answer: StateAnswer, shown: Shown } | undefined} */
  #past;
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
    this.#live = /** @type {Follower<StateAnswer>} */ (
      new Follower(connection, "state", () => (this.#took(), changed()))
    );
    this.#then = /** @type {Follower<StateAnswer>} */ (
      new Follower(connection, "stateAt", changed)
    );
  }

  /** @param {string} room */
  enter(room) {
    if (room === this.#room) return;
    this.#room = room;
    this.#now = undefined;
    this.look(undefined);
    this.#live.follow({ room });
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
    return this.#now?.version ?? 0;
  }

  /** The state of now. */
  get now() {
    return this.#now;
  }

  /** Why there is no state of now. */
  get problem() {
    return this.#live.value?.problem;
  }

  /**
   * The state at the chosen version; undefined while it isn't known.
   *
   * @returns {Shown | { problem: string } | undefined}
   */
  get then() {
    const answer = this.#then.value;
    if (!answer) return undefined;
    if (answer.problem) return { problem: answer.problem };
    if (this.#past?.answer !== answer) this.#past = { answer, shown: pastOf(answer) };
    return this.#past?.shown;
  }

  #ask() {
    const { version, skipped: skip } = this;
    if (version === undefined) return this.#then.leave();
    const kept = skip.filter((other) => other <= version);
    this.#then.follow({ room: this.#room, version, ...(kept.length > 0 && { skip: kept }) });
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
