import { connect, indexedDBCache, indexedDBOutbox } from "../storecast/index.js";
import { showStatus } from "../parts/connectionStatus.js";
import { byId } from "../parts/element.js";
import { notify } from "../parts/notices.js";
import { keepPages } from "../worker/keepPages.js";
import { BoardView } from "./BoardView.js";
import { ChatView } from "./ChatView.js";
import { closeButtons } from "./dialogs.js";
import { myName, NameDialog } from "./NameDialog.js";
import { PeopleView } from "./PeopleView.js";
import { refusal, typed } from "./sentences.js";

closeButtons();
byId("help-button").onclick = () => byId("help-dialog").showModal();
const name = (await myName()) ?? "";
new NameDialog(name);

const connection = connect("/", {
  token: name || undefined,
  outbox: indexedDBOutbox(`board of ${name}`),
  cache: { storage: indexedDBCache(), viewer: name },
  tabs: true,
  onRejected: (rejection, action) => notify(refusal(rejection, action), typed(action)),
});
showStatus(connection);
new BoardView(connection, name);
new ChatView(connection, name);
new PeopleView(connection);
const news = "There is a newer version of this page: reload it when it suits you.";
void keepPages({ newVersion: () => notify(news) });
