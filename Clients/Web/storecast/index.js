export { connect } from "./connection/connect.js";
export { Connection } from "./connection/Connection.js";
export { indexedDBOutbox } from "./outbox/indexedDBOutbox.js";
export { localStorageOutbox } from "./outbox/localStorageOutbox.js";
export { RemoteStore } from "./store/RemoteStore.js";
export { SelectedStore } from "./store/SelectedStore.js";
export { Rejection } from "./wire/Rejection.js";

/** @typedef {import("./connection/Connection.js").ConnectionOptions} ConnectionOptions */
/** @typedef {import("./connection/Connection.js").RoomTypes} RoomTypes */
/** @typedef {import("./connection/Status.js").Status} Status */
/** @typedef {import("./outbox/OutboxStorage.js").OutboxStorage} OutboxStorage */
/** @typedef {import("./session/Action.js").Action} Action */
/** @typedef {import("./session/Position.js").Position} Position */
