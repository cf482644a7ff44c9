export { TestRoom } from "./testing/TestRoom.js";
export { Rejection } from "./wire/Rejection.js";

/**
 * @template {import("./connection/Connection.js").RoomTypes} Room
 * @template State
 * @typedef {import("./testing/TestRoom.js").RoomRules<Room, State>} RoomRules
 */

/** @typedef {import("./testing/TestRoom.js").RoomStamp} RoomStamp */
