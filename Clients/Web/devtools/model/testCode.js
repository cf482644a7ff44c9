import { stampId } from "../../storecast/session/stampId.js";

/** How many dispatches a test has at most. */
const most = 2000;

/**
 * @typedef {object} Line  an entry of a journal
 * @property {string} client
 * @property {number} seq
 * @property {{ id: string, roles?: string[] }} sender
 * @property {{ type: string, payload?: unknown }[]} actions
 * @property {{ title: string }} [rejection]
 * @property {{ type: string }} [refused]
 */

/**
 * What the log's payloads may name that is another in the test: the ids of clients, and those of
 * dispatches, of which rooms make the ids of what they add. By what they were in the log, with what
 * is Swift code for them.
 *
 * @typedef {Map<string, () => string>} Ids
 */

/**
 * A dispatch of the test, and what its id is called if a later one has it in its payload.
 *
 * @typedef {{ code: string, id: string }} Step
 */

/** The form of the server's ids; see Docs/Protocol.md. */
const idForm = /(?<![0-9a-z])[0-9a-v]{26}(?![0-9a-z])/g;

/** A middleware that comes before all others, and notes what id a client's dispatch has. */
const notesIds = `// Ids are others than in the log: \`id\` is that of the newest dispatch.
var id = ""
room.withStore { store in
    store.middleware.insert(
        { _, _ in
            { next in
                { action in
                    let stamp = (action as? any Stamped)?.stamp
                    if let stamp, stamp.sender != .server, stamp.id != "" { id = stamp.id }
                    next(action)
                }
            }
        }, at: 0)
}`;

/**
 * A test in Swift that dispatches into a `TestRoom` what a journal has up to a version, by the same
 * people in the same order, without what is skipped. Where a payload has the id of an earlier
 * dispatch or of a client, the test has the one that this gets in it.
 *
 * @param {string} text  the journal's, as it is exported
 * @param {object} options
 * @param {number} options.through  the version
 * @param {string} options.definition  Swift code for the room's definition
 * @param {readonly number[]} [options.skipped]
 * @param {import("./journalText.js").Ineffective} [options.ineffective]
 * @param {readonly string[]} [options.types]  what clients may dispatch; undefined if that isn't
 *     known
 * @throws {Error} that says why there is no such test
 */
export function testCode(text, options) {
  const { through, definition, skipped = [], ineffective = new Map(), types } = options;
  /** @type {Map<string, { name: string, code: string }>} */
  const people = new Map();
  /** @type {Ids} */
  const ids = new Map();
  /** @type {Step[]} */
  const body = [];
  let room = "";
  // Without others, what was rejected may not be.
  const isSure = skipped.length === 0;
  let [version, led, isWhole] = [0, 0, isSure];
  for (const line of text.split("\n")) {
    if (line === "" || version >= through) continue;
    const content = exact(line);
    if (content.journal !== undefined) {
      room = String(content.room);
      continue;
    }
    if (content.snapshot !== undefined) {
      if (version > 0) continue;
      throw new Error("The journal begins with a snapshot, and no longer has what led to it.");
    }
    if (body.length >= most) throw new Error(`A test has at most ${most} dispatches.`);
    const why = ineffective.get(Number(content.offset));
    if (why && !why.rejection) continue;
    if (why) content.rejection ??= { title: why.rejection };
    if (!content.rejection) version += 1;
    if (!content.rejection && skipped.includes(version)) continue;
    const name = () => person(content, people).name;
    noteClient(content, ids, name);
    const { code, isLed } = dispatch(content, name, version, { types, isSure, ids });
    /** @type {Step} */
    const step = { code, id: "" };
    body.push(step);
    if (isLed) {
      led += 1;
      // Names of connections have no capitals.
      const id = `idOfV${version}`;
      noteDispatch(content, ids, () => (step.id = id));
    } else if (!content.rejection) {
      isWhole = false;
    }
  }
  if (version < through) throw new Error(`The journal ends at version ${version}.`);
  const lines = body.flatMap(({ code, id }) => (id ? [code, `let ${id} = id`] : [code]));
  return [
    "import StorecastTesting",
    "import Testing",
    "",
    `/// What was dispatched in \`${comment(room)}\` up to version ${through}, once more.`,
    "///",
    "/// Times, ids and random numbers are the test's own.",
    "@MainActor struct CopiedTests {",
    `    @Test func \`the room comes to version ${led}\`() async throws {`,
    `        let room = TestRoom(${definition})`,
    ...[...people.values()].map(({ code }) => `        ${code}`),
    ...(body.some(({ id }) => id) ? indented([notesIds]) : []),
    "",
    ...indented(lines),
    "",
    isWhole
      ? `        #expect(room.position.version == ${led})`
      : "        // Say here what should be so.",
    "    }",
    "}",
    "",
  ].join("\n");
}

/** @param {string[]} codes */
function indented(codes) {
  return codes.flatMap((code) => code.split("\n")).map((line) => `        ${line}`);
}

/**
 * Notes what payloads name the client by, its own ones among them.
 *
 * @param {Line} line
 * @param {Ids} ids
 * @param {() => string} name  of its connection
 */
function noteClient({ client, sender }, ids, name) {
  if (typeof client !== "string" || sender.id === "server") return;
  const participant = stampId(client, 0);
  if (!ids.has(participant)) ids.set(participant, () => `${name()}.participant`);
}

/**
 * Notes what later payloads name a dispatch by that the test has, too.
 *
 * @param {Line} line
 * @param {Ids} ids
 * @param {() => string} code
 */
function noteDispatch({ client, seq }, ids, code) {
  if (typeof client === "string" && typeof seq === "number") ids.set(stampId(client, seq), code);
}

/**
 * The line's value, with numbers as they are written where the engine can.
 *
 * @param {string} line
 */
function exact(line) {
  const { rawJSON } = /** @type {any} */ (JSON);
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const revive = (_, value, context) => {
    const source = typeof value === "number" ? context?.source : undefined;
    return rawJSON && source && JSON.stringify(value) !== source ? rawJSON(source) : value;
  };
  return JSON.parse(line, revive);
}

/**
 * A connection for each client, named after its user.
 *
 * @param {Line} line
 * @param {Map<string, { name: string, code: string }>} people
 */
function person({ client, sender }, people) {
  const key = JSON.stringify([client, sender]);
  const known = people.get(key);
  if (known) return known;
  const word = (sender.id.match(/^[A-Za-z][A-Za-z0-9]*/)?.[0] ?? "client").toLowerCase();
  const names = new Set([...people.values()].map(({ name }) => name));
  let number = 1;
  while (names.has(word + number)) number += 1;
  const name = word + number;
  const roles = sender.roles?.map(swiftString).join(", ");
  const identity =
    sender.id === "" && !roles
      ? ".anonymous"
      : `Identity(${swiftString(sender.id)}${roles ? `, roles: [${roles}]` : ""})`;
  const made = { name, code: `let ${name} = room.connect(as: ${identity})` };
  people.set(key, made);
  return made;
}

/**
 * @param {Line} line
 * @param {() => string} name  makes a connection for who dispatched it, unless there is one
 * @param {number} version
 * @param {{ types: readonly string[] | undefined, isSure: boolean, ids: Ids }} known
 * @returns {{ code: string, isLed: boolean }}  whether the code leads to the version
 */
function dispatch({ actions, rejection, refused, sender }, name, version, known) {
  const { types, isSure, ids } = known;
  const [action, ...more] = actions;
  if (refused) {
    const what = `${comment(sender.id) || "Somebody"}'s ${comment(refused.type)}`;
    const why = sentence(rejection?.title ?? "");
    const code = `// ${what} was refused: ${why} The log has only a digest of its payload.`;
    return { code, isLed: false };
  }
  const isOwn = sender.id === "server" || (types && action && !types.includes(action.type));
  if (!action || isOwn) {
    const what = action ? comment(action.type) : "what middleware kept";
    return { code: `// v${version}, by the server's own code: ${what}`, isLed: false };
  }
  const note = more.length > 0 ? `, of which middleware made ${more.length} more` : "";
  const payload = JSON.stringify(action.payload ?? {});
  const lacks = [...new Set(payload.match(idForm))]
    .filter((id) => !ids.has(id))
    .map((id) => `\n// ${id} is no id of this test; it may be one of the log's.`)
    .join("");
  const call = (/** @type {string} */ space) =>
    `${name()}.dispatch(\n${space}    type: ${swiftString(action.type)}, payload: ` +
    `JSON(parsing: ${rawString(payload, ids)})\n${space}).outcome`;
  if (!rejection) {
    return { code: `// v${version}${note}${lacks}\n_ = try await ${call("")}`, isLed: true };
  }
  if (!isSure) {
    const title = comment(rejection.title);
    const code = `// Rejected then: ${title}${lacks}\n_ = try? await ${call("")}`;
    return { code, isLed: false };
  }
  const code =
    `// Rejected: ${comment(rejection.title)}${lacks}\n` +
    `await #expect(throws: Rejection.self) {\n    try await ${call("    ")}\n}`;
  return { code, isLed: false };
}

/** @param {string} text  that may not end a comment's line */
const comment = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?").slice(0, 200);

/** @param {string} text */
function sentence(text) {
  const line = comment(text);
  return line === "" || /[.!?]$/.test(line) ? line : `${line}.`;
}

/** @param {string} text */
function swiftString(text) {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`;
  });
  return `"${escaped}"`;
}

/**
 * A literal in which only its own marks mean something: of ids that the test knows they are the
 * names.
 *
 * @param {string} text  without line breaks
 * @param {Ids} ids
 */
function rawString(text, ids) {
  // Can't be in a literal, or not be seen in it; within strings only.
  const seen = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, place) => {
      return `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
  let marks = "#";
  while (seen.includes(`"${marks}`) || seen.includes(`\\${marks}`)) marks += "#";
  const filled = seen.replace(idForm, (id) => {
    const code = ids.get(id)?.();
    return code === undefined ? id : `\\${marks}(${code})`;
  });
  return `${marks}"${filled}"${marks}`;
}
