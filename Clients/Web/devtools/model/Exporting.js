import { Follower } from "./Follower.js";

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
    const page = await journalPage(connection, room, after);
    for (const line of page.lines) lines.push(line);
    progressed(lines.length);
    if (page.next === null || isEnough(page.lines)) {
      return lines.map((line) => `${line}\n`).join("");
    }
    after = page.next;
  }
}

/**
 * @param {import("../../storecast/index.js").Connection} connection
 * @param {string} room
 * @param {number} after
 * @returns {Promise<{ lines: string[], next: number | null }>}
 */
function journalPage(connection, room, after) {
  return new Promise((resolve, reject) => {
    const follower = /** @type {Follower<any>} */ (
      new Follower(connection, "lines", () => {
        const page = follower.value;
        if (!page) return;
        follower.leave();
        if (page.problem) reject(new Error(page.problem));
        else resolve(page);
      })
    );
    follower.follow({ room, after });
  });
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
