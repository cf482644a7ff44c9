export { TestRoom } from "./testing/TestRoom.js";
export { Rejection } from "./wire/Rejection.js";
export type RoomRules<Room extends import("./connection/Connection.js").RoomTypes, State> = import("./testing/TestRoom.js").RoomRules<Room, State>;
export type RoomStamp = import("./testing/TestRoom.js").RoomStamp;
