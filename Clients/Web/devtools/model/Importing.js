/** The server takes pieces of 256 KiB, and of a character up to four bytes in UTF-8. */
const pieceLength = 60_000;
/** What a log that is imported has at most. */
const mostBytes = 16 << 20;

/**
 * Brings a log to the server, so that its states can be looked at.
 *
 * @param {(action: Record<string, unknown>) => Promise<void>} send  has the server take a piece;
 *     rejects with the reason if it doesn't
 * @param {{ id: string, room: string | undefined, text: string }} log  `room`: whose reducer is
 *     taken if the server has no room of the name that the log has
 * @param {(share: number) => void} progressed  from 0 to 1
 */
export async function bringLog(send, { id, room, text }, progressed) {
  const { length } = new TextEncoder().encode(text);
  if (length > mostBytes) {
    throw new Error("Its states aren't shown: the log is larger than 16 MiB.");
  }
  let start = 0;
  do {
    const end = endOfPiece(text, start);
    const isLast = end === text.length;
    await send({ id, text: text.slice(start, end), isLast, ...(room !== undefined && { room }) });
    start = end;
    progressed(end / Math.max(text.length, 1));
  } while (start < text.length);
}

/**
 * Where a piece ends: never within a character.
 *
 * @param {string} text
 * @param {number} start
 */
function endOfPiece(text, start) {
  const end = Math.min(start + pieceLength, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
