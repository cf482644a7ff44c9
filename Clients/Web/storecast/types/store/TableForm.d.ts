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
export function tableForm(compare: (one: string, other: string) => number): TableForm;
/**
 * The order of the UTF-8 bytes, as servers have it: negative if `one` is before `other`.
 *
 * @param {string} one
 * @param {string} other
 */
export function compareTexts(one: string, other: string): number;
/**
 * The ids of a table, in order. O(n log n).
 *
 * @param {Record<string, unknown>} table
 * @param {TableForm} form
 */
export function idsOf(table: Record<string, unknown>, form: TableForm): string[];
/**
 * Ids in order with others among them. O(n + c log n) for c others.
 *
 * @param {readonly string[]} ids
 * @param {readonly string[]} others  in any order
 * @param {Record<string, unknown>} table  has all of them
 * @param {TableForm} form
 * @returns {string[]}
 */
export function inserting(ids: readonly string[], others: readonly string[], table: Record<string, unknown>, form: TableForm): string[];
/** @type {TableForm} */
export const orderedForm: TableForm;
/**
 * A `Table` of a Swift server: its rows by the texts of their ids.
 */
export type Table<Row, Id extends string = string> = { readonly [id in Id]: Row; };
/**
 * An `OrderedTable` of a Swift server: its rows by the texts of their ids, with their ranks, which
 * give the order.
 */
export type OrderedTable<Row, Id extends string = string> = { readonly [id in Id]: readonly [rank: string, row: Row]; };
export type RowOf<State> = unknown extends State ? any : NonNullable<State> extends {
    readonly [id: string]: infer Row;
} ? Row : never;
export type OrderedRowOf<State> = unknown extends State ? any : NonNullable<State> extends {
    readonly [id: string]: readonly [string, infer Row];
} ? Row : never;
export type IdOf<State> = keyof NonNullable<State> & string;
/**
 * How the members of a table are read.
 */
export type TableForm = {
    /**
     * the row of a member
     */
    row: (member: any) => any;
    /**
     * what its order goes by
     */
    place: (id: string, member: any) => string;
    /**
     * two places
     */
    compare: (one: string, other: string) => number;
};
