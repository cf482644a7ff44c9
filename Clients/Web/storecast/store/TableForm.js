/**
 * A `Table` of a Swift server: its rows by the texts of their ids.
 *
 * @template Row
 * @template {string} [Id=string]
 * @typedef {{ readonly [id in Id]: Row }} Table
 */

/**
 * An `OrderedTable` of a Swift server: its rows by the texts of their ids, with their ranks, which
 * give the order.
 *
 * @template Row
 * @template {string} [Id=string]
 * @typedef {{ readonly [id in Id]: readonly [rank: string, row: Row] }} OrderedTable
 */

/**
 * @template State
 * @typedef {unknown extends State ? any
 *     : NonNullable<State> extends { readonly [id: string]: infer Row } ? Row : never} RowOf
 */

/**
 * @template State
 * @typedef {unknown extends State ? any
 *     : NonNullable<State> extends { readonly [id: string]: readonly [string, infer Row] } ? Row
 *     : never} OrderedRowOf
 */

/**
 * @template State
 * @typedef {keyof NonNullable<State> & string} IdOf
 */

/**
 * How the members of a table are read.
 *
 * @typedef {object} TableForm
 * @property {(member: any) => any} row  the row of a member
 * @property {(id: string, member: any) => string} place  what its order goes by
 * @property {(one: string, other: string) => number} compare  two places
 */

/**
 * @param {(one: string, other: string) => number} compare  ids
 * @returns {TableForm}
 */
export function tableForm(compare) {
  return { row: (member) => member, place: (id) => id, compare };
}

/** @type {TableForm} */
export const orderedForm = {
  row: (member) => member[1],
  place: (_, member) => member[0],
  compare: compareTexts,
};

/**
 * The order of the UTF-8 bytes, as servers have it: negative if `one` is before `other`.
 *
 * @param {string} one
 * @param {string} other
 */
export function compareTexts(one, other) {
  const end = Math.min(one.length, other.length);
  for (let index = 0; index < end; index += 1) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return bytesOrder(left) - bytesOrder(right);
  }
  return one.length - other.length;
}

/**
 * Halves of surrogate pairs stand for what is behind all that takes one code unit.
 *
 * @param {number} unit
 */
function bytesOrder(unit) {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * The ids of a table, in order. O(n log n).
 *
 * @param {Record<string, unknown>} table
 * @param {TableForm} form
 */
export function idsOf(table, form) {
  const places = Object.entries(table).map(([id, member]) => ({ id, at: form.place(id, member) }));
  places.sort((one, other) => form.compare(one.at, other.at));
  return places.map(({ id }) => id);
}

/**
 * Ids in order with others among them. O(n + c log n) for c others.
 *
 * @param {readonly string[]} ids
 * @param {readonly string[]} others  in any order
 * @param {Record<string, unknown>} table  has all of them
 * @param {TableForm} form
 * @returns {string[]}
 */
export function inserting(ids, others, table, form) {
  /** @param {string} id */
  const place = (id) => form.place(id, table[id]);
  const sorted = [...others].sort((one, other) => form.compare(place(one), place(other)));
  const all = [];
  let start = 0;
  for (const id of sorted) {
    const at = place(id);
    let end = ids.length;
    for (let first = start; first < end; ) {
      const middle = (first + end) >> 1;
      if (form.compare(place(/** @type {string} */ (ids[middle])), at) < 0) first = middle + 1;
      else end = middle;
    }
    for (; start < end; start += 1) all.push(/** @type {string} */ (ids[start]));
    all.push(id);
  }
  return all.concat(ids.slice(start));
}
