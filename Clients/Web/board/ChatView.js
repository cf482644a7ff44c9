import { avatar, shownName } from "../parts/avatar.js";
import { arrange, byId, element, set } from "../parts/element.js";
import { chatReducer } from "./reducers.js";

/** The messages, and the field to say something. On small screens a button opens the chat. */
export class ChatView {
  /** @type {Map<string, { message: import("./reducers.js").Message, item: Element }>} */
  #items = new Map();
  #list = byId("messages");
  #panel = byId("chat");
  #isAtEnd = true;
  /**
   * When the newest message was said that was looked at; undefined before there is a chat.
   *
   * @type {number | undefined}
   */
  #seen;
  #me;

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection
   * @param {string} me
   * @param {import("./Drafts.js").Drafts} drafts
   */
  constructor(connection, me, drafts) {
    this.#me = me;
    const chat = connection.select("chat", undefined, { optimistic: chatReducer(me) });
    chat.subscribe(() => {
      const messages = chat.getState();
      if (messages) this.#show(messages);
    });
    this.#list.onscroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#list;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
    };
    // Also when it is shown at first, and when a phone's keyboard comes.
    new ResizeObserver(() => {
      if (this.#isAtEnd) this.#list.scrollTop = this.#list.scrollHeight;
    }).observe(this.#list);
    const field = byId("say").querySelector("input");
    field.value = drafts.get("message")?.text ?? "";
    field.oninput = () => drafts.keep("message", { text: field.value });
    byId("say").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text) void chat.dispatch({ type: "Say", payload: { text } });
      field.value = "";
      drafts.drop("message");
    });
    byId("chat-button").onclick = () => this.#open(!this.#panel.classList.contains("open"));
    byId("chat-close").onclick = () => this.#open(false);
    this.#panel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.#open(false);
    });
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#panel.classList.toggle("open", isOpen);
    byId("chat-button").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#panel.querySelector("input").focus();
    else byId("chat-button").focus();
    this.#list.scrollTop = this.#list.scrollHeight;
    this.#count();
  }

  /** @param {import("./reducers.js").Message[]} messages */
  #show(messages) {
    const list = this.#list;
    list.classList.remove("loading");
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const items = new Map();
    let previous;
    for (const message of messages) {
      const known = this.#items.get(message.id);
      const item = known?.message === message ? known.item : this.#item(message);
      item.classList.toggle("again", follows(message, previous));
      items.set(message.id, { message, item });
      previous = message;
    }
    this.#items = items;
    arrange(list, [...items.values()].map(({ item }) => item));
    if (isAtEnd || previous?.isPending) list.scrollTop = list.scrollHeight;
    this.#seen ??= previous?.time ?? 0;
    this.#count();
  }

  /** How many messages came while the chat was closed. */
  #count() {
    const messages = [...this.#items.values()].map(({ message }) => message);
    if (this.#panel.offsetParent || this.#panel.classList.contains("open")) {
      this.#seen = messages[messages.length - 1]?.time ?? 0;
    }
    const seen = this.#seen ?? 0;
    const count = messages.filter(({ time, author }) => time > seen && author !== this.#me).length;
    byId("unread").textContent = String(count);
    byId("unread").hidden = count === 0;
    set(byId("chat-button"), "aria-label", count > 0 ? `Chat, ${count} new` : "Chat");
  }

  /** @param {import("./reducers.js").Message} message */
  #item({ author, text, time, isPending }) {
    const moment = new Date(time * 1000);
    const clock = moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return element(
      "div",
      { class: isPending ? "message waiting" : "message" },
      avatar(author),
      element(
        "p",
        { class: "who" },
        element("b", { text: shownName(author) }),
        element("time", { class: "quiet", datetime: moment.toISOString(), text: clock })
      ),
      element("p", { class: "text", text })
    );
  }
}

/**
 * Whether somebody goes on within five minutes.
 *
 * @param {import("./reducers.js").Message} message
 * @param {import("./reducers.js").Message | undefined} previous
 */
function follows({ author, time }, previous) {
  return previous !== undefined && previous.author === author && time - previous.time < 300;
}
