import { isObject } from "../wire/JSONValue.js";
import { noteTouches, touchedMembers } from "../wire/TouchedMembers.js";
import { isSame, Listeners, onChange } from "./Listeners.js";
import { RowStore } from "./RowStore.js";
import { idsOf, inserting } from "./TableForm.js";

/** @typedef {import("./TableForm.js").TableForm} TableForm */
/** @typedef {Record<string, unknown>} Members */

/**
 * A row that has changed.
 *
 * @template Row
 * @template {string} [Id=string]
 * @typedef {object} RowChange
 * @property {Id} id
 * @property {Row | undefined} old  the row before; undefined if it came
 * @property {Row | undefined} new  the row now; undefined if it went
 * @property {boolean} isMove  whether it was there, and has another rank in an ordered table
 */

/** @type {Members} */
const none = Object.freeze({});

/**
 * The rows of a table in a store's state, each of which has listeners of its own.
 *
 * A change costs what the rows cost that it touches, whatever the number of listeners; and a look
 * at every row where patches don't tell what they touched, as behind a snapshot or in the state
 * that an optimistic reducer makes. The store is followed while there are listeners.
 *
 * @template Row
 * @template {string} [Id=string]
 */
export class Rows {
  /**
   * The version that was looked at last; undefined for none.
   *
   * @type {Members | undefined}
   */
  #table;
  /**
   * The ids of that version, if somebody has asked for them.
   *
   * @type {readonly string[] | undefined}
   */
  #ids;
  /** @type {Map<string, Set<RowStore<any>>>} */
  #heard = new Map();
  /** The rows that have changed since their listeners were told, perhaps. */
  #touched = new Set();
  /**
   * What listeners to all rows haven't been told: the members as they knew them.
   *
   * @type {Set<Map<string, unknown>>}
   */
  #untold = new Set();
  #idListeners = new Listeners();
  #rowListeners = new Listeners();
  /** @type {(() => void) | undefined} */
  #end;
  #parent;
  #form;

  /**
   * `store.rows()` and `store.orderedRows()` do that.
   *
   * @param {import("./SelectedStore.js").Readable<any>} parent  whose state is the table
   * @param {TableForm} form
   */
  constructor(parent, form) {
    this.#parent = parent;
    this.#form = form;
  }

  /**
   * The ids in the table's order, as a store: its listeners are called when rows have come, gone or
   * moved. Undefined as long as there is no state. O(n) after such a change.
   *
   * @type {import("./SelectedStore.js").Readable<readonly Id[] | undefined>}
   */
  ids = {
    getState: () => /** @type {readonly Id[] | undefined} */ (this.#currentIds),
    subscribe: (listener) => this.#add(this.#idListeners, onChange(this.ids.getState, listener)),
  };

  /**
   * One row, as a store: its listeners are called when that row has changed. Undefined as long as
   * there is none. The same store as long as it has listeners.
   *
   * @param {Id} id
   * @returns {RowStore<Row>}
   */
  row(id) {
    const [known] = this.#heard.get(id) ?? [];
    return known ?? new RowStore(id, this.#owner);
  }

  /**
   * Calls `listener` with the rows that have changed since it was last called; at first with those
   * that have changed since now. One that only moved has the same row as before.
   *
   * @param {(changes: readonly RowChange<Row, Id>[]) => void} listener
   * @returns {() => void} ends that
   */
  subscribe = (listener) => {
    /** @type {Map<string, unknown>} */
    const untold = new Map();
    const remove = this.#add(this.#rowListeners, () => {
      const changes = this.#changes(untold);
      untold.clear();
      if (changes.length > 0) listener(changes);
    });
    this.#untold.add(untold);
    return () => {
      this.#untold.delete(untold);
      remove();
    };
  };

  /**
   * @param {Listeners} listeners
   * @param {() => void} listener
   */
  #add(listeners, listener) {
    const remove = listeners.add(listener);
    this.#follow();
    return () => {
      remove();
      this.#leave();
    };
  }

  #owner = {
    read: (/** @type {string} */ id) => {
      const table = this.#parent.getState();
      return isObject(table) ? this.#rowOf(memberOf(table, id)) : undefined;
    },
    follow: (/** @type {RowStore<any>} */ row) => {
      const alike = this.#heard.get(row.id) ?? new Set();
      this.#heard.set(row.id, alike.add(row));
      this.#follow();
    },
    leave: (/** @type {RowStore<any>} */ row) => {
      const alike = this.#heard.get(row.id);
      alike?.delete(row);
      if (alike?.size === 0) this.#heard.delete(row.id);
      this.#leave();
    },
  };

  get #isHeard() {
    const { size } = this.#heard;
    return size + this.#idListeners.count + this.#rowListeners.count > 0;
  }

  #follow() {
    this.#end ??= this.#parent.subscribe(() => this.#announce());
    this.#catchUp();
  }

  #leave() {
    if (this.#isHeard) return;
    this.#end?.();
    this.#end = undefined;
    this.#touched.clear();
  }

  #announce() {
    this.#catchUp();
    const touched = this.#touched;
    this.#touched = new Set();
    this.#idListeners.call();
    for (const id of touched) for (const row of [...(this.#heard.get(id) ?? [])]) row.announce();
    this.#rowListeners.call();
  }

  get #currentIds() {
    this.#catchUp();
    if (this.#table) this.#ids ??= idsOf(this.#table, this.#form);
    return this.#ids;
  }

  /** Looks at the newest version, and notes what has changed, for when listeners are told. */
  #catchUp() {
    const state = this.#parent.getState();
    const table = state === undefined || isObject(state) ? state : none;
    const old = this.#table ?? none;
    if (table === undefined || table === this.#table) return;
    this.#table = table;
    noteTouches(table);
    if (!this.#isHeard && !this.#ids) return;
    /** @type {string[]} */
    const elsewhere = [];
    for (const id of touchedMembers(old, table) ?? allMembers(old, table)) {
      const [was, is] = [memberOf(old, id), memberOf(table, id)];
      if (was === is) continue;
      if (this.#heard.has(id)) this.#touched.add(id);
      for (const untold of this.#untold) if (!untold.has(id)) untold.set(id, was);
      if (this.#place(id, was) !== this.#place(id, is)) elsewhere.push(id);
    }
    if (elsewhere.length > 0) this.#reorder(elsewhere, table);
  }

  /**
   * @param {string[]} elsewhere  the ids that came, went or moved
   * @param {Members} table
   */
  #reorder(elsewhere, table) {
    if (!this.#ids) return;
    const others = new Set(elsewhere);
    const left = this.#ids.filter((id) => !others.has(id));
    const placed = elsewhere.filter((id) => Object.hasOwn(table, id));
    const ids = inserting(left, placed, table, this.#form);
    // Ranks also change to make room.
    if (!isSame(ids, this.#ids)) this.#ids = ids;
  }

  /**
   * @param {Map<string, unknown>} untold
   * @returns {RowChange<any, any>[]}
   */
  #changes(untold) {
    const changes = [];
    for (const [id, was] of untold) {
      const is = this.#table && memberOf(this.#table, id);
      if (was === is) continue;
      const isMove =
        was !== undefined && is !== undefined && this.#place(id, was) !== this.#place(id, is);
      changes.push({ id, old: this.#rowOf(was), new: this.#rowOf(is), isMove });
    }
    return changes;
  }

  /** @param {unknown} member */
  #rowOf(member) {
    return member === undefined ? undefined : this.#form.row(member);
  }

  /**
   * @param {string} id
   * @param {unknown} member
   */
  #place(id, member) {
    return member === undefined ? undefined : this.#form.place(id, member);
  }
}

/**
 * @param {Members} table
 * @param {string} id
 */
function memberOf(table, id) {
  return Object.hasOwn(table, id) ? table[id] : undefined;
}

/**
 * The names of all members that one of two tables has.
 *
 * @param {Members} old
 * @param {Members} table
 */
function* allMembers(old, table) {
  for (const id of Object.keys(old)) if (!Object.hasOwn(table, id)) yield id;
  yield* Object.keys(table);
}
