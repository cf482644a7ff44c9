export { memoryCache } from "./cache/CacheStorage.js";
export { indexedDBCache } from "./cache/indexedDBCache.js";
export { connect } from "./connection/connect.js";
export { Connection } from "./connection/Connection.js";
export { indexedDBOutbox } from "./outbox/indexedDBOutbox.js";
export { localStorageOutbox } from "./outbox/localStorageOutbox.js";
export { PageStore } from "./store/PageStore.js";
export { RemoteStore } from "./store/RemoteStore.js";
export { Rows } from "./store/Rows.js";
export { RowStore } from "./store/RowStore.js";
export { SelectedStore } from "./store/SelectedStore.js";
export {
  applyEdit,
  editOf,
  moveCursor,
  offsetNow,
  sharedText,
  textVersion,
} from "./text/SharedText.js";
export { Rejection } from "./wire/Rejection.js";

/** @typedef {import("./cache/CacheStorage.js").CacheOptions} CacheOptions */
/** @typedef {import("./cache/CacheStorage.js").CacheStorage} CacheStorage */
/** @typedef {import("./connection/Connection.js").ConnectionOptions} ConnectionOptions */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./wire/ServerFrame.js").Identity} Identity */
/** @typedef {import("./outbox/OutboxStorage.js").OutboxStorage} OutboxStorage */
/** @typedef {import("./session/Action.js").Action} Action */
/** @typedef {import("./session/Position.js").Position} Position */
/** @typedef {import("./store/PageStore.js").PagePlace} PagePlace */
/** @typedef {import("./store/PageStore.js").RowCursor} RowCursor */
/** @typedef {import("./text/SharedText.js").SharedText} SharedText */
/** @typedef {import("./text/SharedText.js").TextChange} TextChange */
/** @typedef {import("./text/SharedText.js").TextEdit} TextEdit */
/** @typedef {import("./text/SharedText.js").TextVersion} TextVersion */

/**
 * @template Row
 * @typedef {import("./store/PageStore.js").RowPage<Row>} RowPage
 */

/**
 * @template Row
 * @template {string} [Id=string]
 * @typedef {import("./store/Rows.js").RowChange<Row, Id>} RowChange
 */

/**
 * @template Row
 * @template {string} [Id=string]
 * @typedef {import("./store/TableForm.js").Table<Row, Id>} Table
 */

/**
 * @template Row
 * @template {string} [Id=string]
 * @typedef {import("./store/TableForm.js").OrderedTable<Row, Id>} OrderedTable
 */
