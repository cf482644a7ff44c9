import { answerOf } from "./Follower.js";

/**
 * Fetches a room's journal as text, page by page.
 *
 * @param {import("../../storecast/index.js").Connection} connection
 * @param {string} room
 * @param {(lines: number) => void} progressed
 * @param {(page: readonly string[]) => boolean} [isEnough]  whether no more is needed behind it
 * @returns {Promise<string>}
 */
export async function journalText(connection, room, progressed, isEnough = () => false) {
  /** @type {string[]} */
  const lines = [];
  for (let after = 0; ; ) {
    /** @type {{ lines: string[], next: number | null }} */
    const page = await answerOf(connection, "lines", { room, after });
    for (const line of page.lines) lines.push(line);
    progressed(lines.length);
    if (page.next === null || isEnough(page.lines)) {
      return lines.map((line) => `${line}\n`).join("");
    }
    after = page.next;
  }
}

/**
 * Hands a journal's text to the browser as a file to keep.
 *
 * @param {string} room
 * @param {string} text
 */
export function saveJournal(room, text) {
  const name = room.replaceAll("/", "-").replace(/^-/, "") || "room";
  save(`${name}.jsonl`, "application/jsonl", text);
}

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
