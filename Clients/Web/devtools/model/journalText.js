/** @typedef {import("./types.js").Dispatch} Dispatch */

/**
 * The entries of a journal that led to no version, by their offsets: with the reason if they were
 * rejected, else they came a second time. Its text has no word of what the room's rules rejected
 * by the state of then: the server tells that.
 *
 * @typedef {ReadonlyMap<number, { rejection?: string }>} Ineffective
 */

/**
 * @param {{ ineffective: { offset: number, rejection?: string }[] }} outcomes  the server's
 * @returns {Ineffective}
 */
export function ineffectiveOf({ ineffective }) {
  return new Map(ineffective.map(({ offset, ...why }) => [offset, why]));
}

/**
 * Reads a journal as `storecast journal export`, or this page, wrote it: JSON Lines.
 *
 * @param {string} text
 * @param {Ineffective} [ineffective]  without it versions are those as if nothing else had been
 *     rejected than what the text says
 * @returns {{ room: string, dispatches: Dispatch[] }}
 * @throws {Error} that says which line is wrong, and why
 */
export function readJournal(text, ineffective = new Map()) {
  const lines = text.split("\n");
  let room = "";
  let version = 0;
  /** @type {Dispatch[]} */
  const dispatches = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const content = parsed(line, index + 1);
    if (index === 0 && content.journal !== "storecast") {
      throw new Error("Line 1: this isn't a journal of storecast.");
    } else if (index === 0) {
      room = String(content.room);
    } else if (content.snapshot !== undefined) {
      version = Number(content.version);
    } else {
      const dispatch = read(content, index + 1);
      const why = ineffective.get(content.offset);
      if (why && !why.rejection) continue;
      dispatch.rejection ??= why?.rejection;
      if (!dispatch.rejection) version += 1;
      dispatches.push({ ...dispatch, version });
    }
  }
  if (room === "") throw new Error("The file is empty.");
  return { room, dispatches };
}

/**
 * @param {string} line
 * @param {number} number
 */
function parsed(line, number) {
  try {
    const content = JSON.parse(line);
    if (Object(content) === content) return content;
  } catch {
    // Said below.
  }
  throw new Error(`Line ${number}: it isn't a JSON object.`);
}

/**
 * @param {any} line
 * @param {number} number
 * @returns {Dispatch}
 */
function read(line, number) {
  if (!Array.isArray(line.actions) || typeof line.time !== "number") {
    throw new Error(`Line ${number}: an entry has 'actions' and a 'time'.`);
  }
  return {
    offset: line.offset,
    version: 0,
    time: line.time,
    user: String(line.sender?.id ?? ""),
    participant: String(line.client),
    seq: Number(line.seq),
    actions: [
      ...line.actions.map((/** @type {any} */ action) => ({
        type: String(action?.type),
        payload: action?.payload,
        bytes: JSON.stringify(action?.payload ?? {}).length,
      })),
      ...(line.refused ? [refused(line.refused)] : []),
    ],
    rejection: line.rejection && String(line.rejection.title),
  };
}

/**
 * What came in place of an action: a digest of its payload, or in logs of earlier versions the
 * beginning of its text, or all of it.
 *
 * @param {any} action
 * @returns {import("./types.js").LoggedAction}
 */
function refused({ type, payload, bytes, digest }) {
  const action = { type: String(type), bytes: Number(bytes) };
  if (payload === undefined) return { ...action, excerpt: `digest ${digest}` };
  try {
    return { ...action, payload: JSON.parse(payload) };
  } catch {
    return { ...action, excerpt: String(payload) };
  }
}
