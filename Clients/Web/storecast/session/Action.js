import { utf8Length } from "../wire/ClientFrame.js";
import { inspectJSON } from "../wire/JSONText.js";
import { Rejection } from "../wire/Rejection.js";

/**
 * Something that a client asks for.
 *
 * @typedef {{ readonly type: string, readonly payload?: unknown }} Action
 */

/** What surrounds an action in its frame takes at most so many bytes. */
const frameOverhead = 250;
/** The batch and the frame are around an action. */
const frameDepth = 2;

/**
 * The text as which an action is sent.
 *
 * @param {Action} action
 * @param {import("../wire/ServerFrame.js").Limits} limits  of the server
 * @throws {Rejection} `invalid`, if the server could not read it
 */
export function writeAction(action, limits) {
  // A program without types may give anything.
  const { type, payload } = Object(action);
  if (typeof type !== "string") throw new Rejection("invalid", "An action needs a type.");
  let text = "";
  let depth = 0;
  try {
    text = JSON.stringify({ type, payload });
    depth = inspectJSON(JSON.parse(text)).depth + frameDepth;
  } catch (error) {
    throw new Rejection("invalid", "The action can't be written as JSON.", String(error));
  }
  const bytes = utf8Length(text) + frameOverhead;
  if (bytes > limits.message) {
    const detail = `${bytes} bytes; the server takes ${limits.message}.`;
    throw new Rejection("invalid", "The action is too large.", detail);
  }
  if (depth > limits.depth) {
    const detail = `${depth} levels; the server takes ${limits.depth}.`;
    throw new Rejection("invalid", "The action is nested too deep.", detail);
  }
  return text;
}
