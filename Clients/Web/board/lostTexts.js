import { notify } from "../parts/notices.js";
import { draftOf } from "./CardEditing.js";

const kind = "lost ";

/**
 * Says that something didn't happen. What was typed for it is shown until that is closed, after the
 * page is loaded again, too.
 *
 * @param {import("./Drafts.js").Drafts} drafts
 * @param {string} sentence
 * @param {string} text  empty if nothing was typed
 * @param {import("../parts/notices.js").NoticeOptions["action"]} [action]
 */
export function tellLost(drafts, sentence, text, action) {
  const what = `${kind}${Date.now()} ${Math.random()}`;
  drafts.keep(what, { text, sentence });
  const closed = () => drafts.drop(what);
  notify(sentence, { kept: text, closed, ...(action && { action }) });
}

/**
 * Says that a card was removed while somebody edited it.
 *
 * @param {import("./BoardView.js").BoardView} board
 * @param {string} text  what they had typed
 * @param {string | undefined} column  where a new card with it would go
 */
export function tellGone(board, text, column) {
  const sentence = "Somebody has removed the card that you were editing. You had typed:";
  const run = () => board.dispatch("AddCard", { column, text: text.trim() });
  tellLost(board.drafts, sentence, text, column ? { text: "Add as a new card", run } : undefined);
}

/**
 * Looks whether the card of a draft is still there; if it isn't, nothing else would show the draft.
 *
 * @param {import("./BoardView.js").BoardView} board
 * @param {string} id
 */
export function askAfter(board, id) {
  const store = board.connection.select("card", id);
  const look = () => {
    if (!store.isLive) return;
    end();
    const draft = board.drafts.get(draftOf({ id }));
    if (!draft || store.getState() !== null) return;
    board.drafts.drop(draftOf({ id }));
    tellGone(board, draft.text, board.columns[0]?.column.id);
  };
  const end = store.subscribe(look);
  look();
}

/**
 * Shows again what nobody has closed.
 *
 * @param {import("./Drafts.js").Drafts} drafts
 */
export function tellAgain(drafts) {
  for (const [what, { text, sentence = "This was not saved." }] of drafts.list(kind)) {
    notify(sentence, { kept: text, closed: () => drafts.drop(what) });
  }
}
