import { byID, settled } from "./elements.js";
import { differences } from "./model/differences.js";
import { DispatchLog } from "./model/DispatchLog.js";
import { journalText, saveJournal } from "./model/Exporting.js";
import { Follower } from "./model/Follower.js";
import { readJournal } from "./model/journalText.js";
import { TimeTravel } from "./model/TimeTravel.js";
import { ActionPane } from "./views/ActionPane.js";
import { ClientList } from "./views/ClientList.js";
import { ClusterTable } from "./views/ClusterTable.js";
import { DispatchForm } from "./views/DispatchForm.js";
import { Graphs } from "./views/Graphs.js";
import { LogView } from "./views/LogView.js";
import { RoomList } from "./views/RoomList.js";
import { places, showDifferences, StatePane } from "./views/StatePane.js";
import { Tabs } from "./views/Tabs.js";
import { TimeBar } from "./views/TimeBar.js";

/** @typedef {import("./model/types.js").Cluster} Cluster */
/** @typedef {import("./model/types.js").Dispatch} Dispatch */
/** @typedef {import("./model/types.js").Detail} Detail */
/** @typedef {import("./model/types.js").Forwarded} Forwarded */
/** @typedef {import("./model/types.js").Report} Report */
/** @typedef {import("./model/types.js").Sample} Sample */
/** @typedef {import("../storecast/index.js").Connection} Connection */

const panes = { state: 0, action: 1, difference: 2, clients: 3, dispatch: 4 };

/** The page: what is followed of the server, and the views of it. */
export class Devtools {
  #connection;
  /** @type {string | undefined} */
  #room;
  #log = new DispatchLog();
  /** @type {{ name: string, dispatches: Dispatch[] } | undefined} */
  #imported;
  /**
   * In the log, by itself; else it is the one that led to the version that is looked at.
   *
   * @type {Dispatch | undefined}
   */
  #chosen;
  #isDue = false;
  /** @type {Follower<{ rooms: Report[], total: number }>} */
  #rooms;
  /** @type {Follower<Cluster>} */
  #cluster;
  /** @type {Follower<Sample[]>} */
  #samples;
  /** @type {Follower<Detail>} */
  #detail;
  /** @type {Follower<Dispatch[] & { problem?: string }>} */
  #live;
  /** @type {Follower<Dispatch[] & { problem?: string }>} */
  #history;
  /** @type {Follower<Forwarded[]>} */
  #forwarded;
  /**
   * The chosen dispatch, whole, if the log has only the beginning of its payload.
   *
   * @type {Follower<Dispatch>}
   */
  #entry;
  #travel;
  #roomList;
  #graphs;
  /** @type {LogView} */
  #logView;
  /** @type {Tabs} */
  #tabs;
  /** @type {StatePane} */
  #statePane;
  #actionPane;
  #clientList;
  #form;
  #timeBar;

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
    this.#rooms = new Follower(connection, "rooms", () => this.#showRooms());
    this.#samples = new Follower(connection, "graphs", () =>
      this.#graphs.show(this.#samples.value),
    );
    this.#detail = new Follower(connection, "room", () => this.#showPane());
    this.#live = new Follower(connection, "log", () => this.#tookLive());
    this.#history = new Follower(connection, "history", () => this.#tookHistory());
    this.#forwarded = new Follower(connection, "dispatches", () => this.#showPane());
    this.#entry = new Follower(connection, "entry", () => this.#showPane());
    this.#travel = new TimeTravel(connection, () => this.#show());

    const clusterTable = new ClusterTable(byID("cluster"));
    this.#cluster = new Follower(connection, "cluster", () =>
      clusterTable.show(this.#cluster.value),
    );
    this.#roomList = new RoomList(byID("rooms"), (room) => this.enter(room));
    this.#graphs = new Graphs(byID("graphs"));
    this.#logView = this.#newLogView();
    const names = ["State", "Action", "Diff to now", "Clients", "Dispatch"];
    this.#tabs = new Tabs(byID("panes"), names, () => this.#showPane());
    this.#statePane = new StatePane(this.#tabs.panel(panes.state));
    this.#actionPane = new ActionPane(this.#tabs.panel(panes.action), (dispatch) =>
      this.#repeat(dispatch),
    );
    this.#clientList = new ClientList(this.#tabs.panel(panes.clients));
    this.#form = new DispatchForm(this.#tabs.panel(panes.dispatch), (type, payload) =>
      this.#dispatch(type, payload),
    );
    this.#timeBar = new TimeBar(byID("time"), this.#look, () => this.#skipNothing());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    this.#rooms.follow();
    this.#cluster.follow();
    this.#forwarded.follow();
  }

  /** @param {string} room */
  enter(room) {
    if (room === this.#room) return;
    this.#room = room;
    // The slider's version was another room's.
    this.#ask.cancel();
    this.#log.clear();
    this.#imported = undefined;
    this.#chosen = undefined;
    this.#logView.setImported(undefined);
    this.#history.leave();
    byID("graphs-title").textContent = `Rates of ${room}`;
    this.#samples.follow({ room });
    this.#detail.follow({ room });
    this.#live.follow({ room });
    this.#travel.enter(room);
    this.#showRooms();
    this.#show();
  }

  #newLogView() {
    return new LogView(byID("log"), {
      look: (dispatch) => this.#choose(dispatch),
      skip: (dispatch) => {
        if (this.#imported) return;
        this.#travel.skip(dispatch.version);
        this.#tabs.choose(panes.state);
        this.#show();
      },
      older: () => this.#older(),
      exportLog: () => void this.#export(),
      importLog: (file) => void this.#import(file),
      closeImport: () => {
        this.#imported = undefined;
        this.#chosen = undefined;
        this.#logView.setImported(undefined);
        this.#show();
      },
      changed: () => this.#showLog(),
    });
  }

  // What the person does

  /** @param {Dispatch} dispatch */
  #choose(dispatch) {
    if (this.#imported || dispatch.rejection) {
      this.#tabs.choose(panes.action);
    } else {
      this.#look(dispatch.version);
    }
    this.#chosen = dispatch;
    this.#showLog();
    this.#showPane();
  }

  /** @param {number | undefined} version */
  #look = (version) => {
    this.#chosen = undefined;
    // The slider follows the finger, and the server is asked when it rests.
    this.#travel.version = version;
    this.#showTime();
    this.#ask.call(version);
  };

  #ask = settled(120, (/** @type {number | undefined} */ version) => {
    this.#travel.look(version);
    this.#show();
  });

  #skipNothing() {
    this.#travel.skipNothing();
    this.#show();
  }

  /** @param {Dispatch} dispatch */
  #repeat(dispatch) {
    const [action] = dispatch.actions;
    if (!action) return;
    this.#tabs.choose(panes.dispatch);
    this.#form.fill(action.type, action.payload);
  }

  #older() {
    const [first] = this.#log.entries;
    const through = first ? first.version - 1 : this.#travel.newest;
    if (this.#room === undefined || through < 1) return;
    this.#log.keepsOld = true;
    this.#history.follow({ room: this.#room, through });
  }

  /**
   * @param {string} type
   * @param {unknown} payload
   */
  #dispatch(type, payload) {
    if (this.#room === undefined) return this.#notice("Choose a room first.");
    const ticket = crypto.randomUUID?.() ?? String(Math.random());
    const forward = { type: "dispatch", payload: { ticket, room: this.#room, type, payload } };
    this.#connection.dispatch(forward).catch((error) => this.#notice(error.message));
  }

  async #export() {
    const room = this.#room;
    if (room === undefined) return this.#notice("Choose a room first.");
    await this.#try(async () => {
      const told = (/** @type {number} */ count) => this.#notice(`${count} lines …`);
      saveJournal(room, await journalText(this.#connection, room, told));
    });
  }

  /** @param {File} file */
  async #import(file) {
    await this.#try(async () => {
      if (file.size > 64e6) throw new Error("The file is larger than 64 MB.");
      const { room, dispatches } = readJournal(await file.text());
      this.#imported = { name: `${file.name}, room ${room}`, dispatches };
      this.#logView.setImported(this.#imported.name);
      this.#show();
    });
  }

  /** @param {() => Promise<void>} body  whose failure is told */
  async #try(body) {
    try {
      await body();
      this.#notice("");
    } catch (error) {
      this.#notice(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea");
    if (event.key === "Escape" && !isTyping) this.#look(undefined);
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      this.#logView.focusFilter();
    }
  }

  /** @param {string} text */
  #notice(text) {
    byID("notice").textContent = text;
  }

  // What the server says

  #tookLive() {
    const list = this.#live.value;
    if (!Array.isArray(list)) return;
    if (!this.#logView.isPaused && this.#log.add(list)) this.#show();
    this.#beginHistory();
  }

  /** Once, when the live log has begun: what happened before it. */
  #beginHistory() {
    const through = this.#travel.newest;
    if (this.#room === undefined || this.#log.keepsOld || through < 1) return;
    if (this.#history.value === undefined) this.#history.follow({ room: this.#room, through });
  }

  #tookHistory() {
    const list = this.#history.value;
    if (Array.isArray(list) && this.#log.add(list)) this.#show();
  }

  // Views

  #showRooms() {
    const answer = this.#rooms.value;
    if (this.#room === undefined && answer?.rooms[0]) return this.enter(answer.rooms[0].room);
    this.#roomList.show(answer, this.#room);
  }

  /** Once per frame, however much has changed. */
  #show() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#beginHistory();
      this.#showLog();
      this.#showPane();
      this.#showTime();
    });
  }

  #showLog() {
    const { version, skipped } = this.#travel;
    const chosen = this.#chosen ?? (version === undefined ? undefined : this.#log.at(version));
    if (this.#imported) {
      const looking = { version: undefined, skipped: [], chosen };
      return this.#logView.show(this.#imported.dispatches, looking);
    }
    const live = this.#live.value;
    if (!this.#logView.isPaused && Array.isArray(live)) this.#log.add(live);
    this.#logView.show(this.#log.entries, { version, skipped, chosen });
  }

  #showTime() {
    const { newest, version, skipped } = this.#travel;
    const dispatch = this.#log.at(version ?? newest);
    this.#timeBar.show(newest, version, dispatch, skipped);
  }

  #showPane() {
    switch (this.#tabs.chosen) {
      case panes.state:
        return this.#showState();
      case panes.action:
        return this.#showAction();
      case panes.difference:
        return this.#showDifference();
      case panes.clients:
        return this.#clientList.show(this.#detail.value);
      default:
        return this.#form.show(this.#detail.value?.actions ?? [], this.#forwarded.value ?? []);
    }
  }

  #showState() {
    const { version, now, then, problem, skipped } = this.#travel;
    const shown = version === undefined ? (problem ? { problem } : now) : then;
    this.#statePane.show(shown, skipped);
  }

  #showAction() {
    const { version, newest } = this.#travel;
    const dispatch = this.#chosen ?? this.#log.at(version ?? newest);
    const isCut = dispatch?.actions.some(({ excerpt }) => excerpt !== undefined);
    if (!isCut || dispatch?.number === undefined || this.#room === undefined) {
      this.#entry.leave();
      return this.#actionPane.show(dispatch);
    }
    this.#entry.follow({ room: this.#room, number: dispatch.number });
    const whole = this.#entry.value;
    this.#actionPane.show(whole?.actions ? { ...dispatch, actions: whole.actions } : dispatch);
  }

  #showDifference() {
    const home = this.#tabs.panel(panes.difference);
    const { version, now, then } = this.#travel;
    if (version === undefined || !now) {
      return showDifferences(home, "Choose a version with the slider or in the log.", []);
    }
    if (!then) return;
    if ("problem" in then) return showDifferences(home, then.problem, []);
    const changes = differences(then.state, now.state);
    const title = `From v${then.version} to v${now.version}: ${places(changes)}`;
    showDifferences(home, title, changes);
  }
}
