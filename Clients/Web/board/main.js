import { connect, indexedDBCache, indexedDBOutbox } from "../storecast/index.js";
import { showStatus } from "../parts/connectionStatus.js";
import { notify } from "../parts/notices.js";
import { keepPages } from "../worker/keepPages.js";
import { showBoardMenu } from "./BoardMenu.js";
import { BoardView } from "./BoardView.js";
import { ChatView } from "./ChatView.js";
import { closeButtons } from "./dialogs.js";
import { Drafts } from "./Drafts.js";
import { tellAgain, tellLost } from "./lostTexts.js";
import { myName, NameDialog } from "./NameDialog.js";
import { PeopleView } from "./PeopleView.js";
import { boardAt } from "./room.js";
import { refusal, typed } from "./sentences.js";

const { path, name: title } = boardAt(location.pathname);
const drafts = new Drafts(path);
window.addEventListener("storage", () => drafts.reread());
const known = myName();
const name = known ?? "";
/** The script may be there before the elements are: it connects meanwhile. */
const elements = document.readyState === "loading" &&
  new Promise((parsed) => document.addEventListener("DOMContentLoaded", parsed));

const connection = connect(path, {
  token: name || undefined,
  outbox: indexedDBOutbox(`board of ${name}`),
  cache: { storage: indexedDBCache(), viewer: name },
  tabs: true,
  onRejected: async (rejection, action) => {
    await elements;
    tellLost(drafts, refusal(rejection, action), typed(action));
  },
});
await elements;
// What is hidden isn't laid out: the board is drawn once, with what is on it, where the server
// answers at once.
document.body.hidden = true;
setTimeout(show, 200);
closeButtons();
showBoardMenu(title);
showStatus(connection);
new BoardView(connection, name, drafts);
new ChatView(connection, name, drafts);
new PeopleView(connection, name);
tellAgain(drafts);
const names = new NameDialog(connection, name);
const news = "There is a newer version of this page: reload it when it suits you.";
// Behind what people wait for: the browser reads what it has for both from one disk.
const forget = connection.on("status", begin);
begin();

function begin() {
  if (connection.status.state === "connecting") return;
  forget();
  requestAnimationFrame(show);
  void keepPages({ newVersion: () => notify(news) });
}

function show() {
  if (!document.body.hidden) return;
  document.body.hidden = false;
  // The board is behind the question, and is drawn before.
  if (known === undefined) requestAnimationFrame(() => void names.open());
}
