import { byID, newID, settled } from "./elements.js";
import { differences } from "./model/differences.js";
import { DispatchLog } from "./model/DispatchLog.js";
import { journalText, save, saveJournal } from "./model/Exporting.js";
import { answerOf, Follower } from "./model/Follower.js";
import { bringLog } from "./model/Importing.js";
import { ineffectiveOf, readJournal } from "./model/journalText.js";
import { Outcomes } from "./model/Outcomes.js";
import { Search } from "./model/Search.js";
import { testCode } from "./model/testCode.js";
import { TimeTravel } from "./model/TimeTravel.js";
import { ActionPane } from "./views/ActionPane.js";
import { ClientList } from "./views/ClientList.js";
import { ClusterTable } from "./views/ClusterTable.js";
import { CostPane } from "./views/CostPane.js";
import { DispatchForm } from "./views/DispatchForm.js";
import { FindPane } from "./views/FindPane.js";
import { Graphs } from "./views/Graphs.js";
import { LogView } from "./views/LogView.js";
import { RoomList } from "./views/RoomList.js";
import { places, showDifferences, StatePane } from "./views/StatePane.js";
import { Tabs } from "./views/Tabs.js";
import { TimeBar } from "./views/TimeBar.js";

/** @typedef {import("./model/types.js").Cluster} Cluster */
/** @typedef {import("./model/types.js").Dispatch} Dispatch */
/** @typedef {import("./model/types.js").Detail} Detail */
/** @typedef {import("./model/types.js").Report} Report */
/** @typedef {import("./model/types.js").Sample} Sample */
/** @typedef {import("./model/types.js").Samples} Samples */
/** @typedef {import("./model/types.js").Turns} Turns */
/** @typedef {import("../storecast/index.js").Connection} Connection */

const names = ["State", "Action", "Diff to now", "Find", "Clients", "Costs", "Dispatch"];
const panes = { state: 0, action: 1, difference: 2, find: 3, clients: 4, costs: 5, dispatch: 6 };
/** How many dispatches a test is made of at most, so that a long journal isn't read for nothing. */
const mostInTest = 2000;

/**
 * @typedef {object} Imported
 * @property {string} id
 * @property {string} name
 * @property {string} text
 * @property {Dispatch[]} dispatches
 * @property {import("./model/journalText.js").Ineffective} [ineffective]  once the server has
 *     reduced it
 * @property {string} trouble
 */

/** The page: what is followed of the server, and the views of it. */
export class Devtools {
  #connection;
  /** @type {string | undefined} */
  #room;
  #log = new DispatchLog();
  /**
   * The log that was imported, with its text; `trouble` says why there are no states of it.
   *
   * @type {Imported | undefined}
   */
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
  /** @type {Outcomes} */
  #outcomes;
  /** @type {Follower<Samples>} */
  #samplesOfActions;
  /** @type {Follower<Turns>} */
  #turns;
  /** @type {Search} */
  #search;
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
  #findPane;
  #costPane;
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
    this.#outcomes = new Outcomes(connection, () => this.#showPane());
    this.#samplesOfActions = new Follower(connection, "actions", () => this.#showPane());
    this.#turns = new Follower(connection, "turns", () => this.#showPane());
    this.#search = new Search(connection, () => this.#showPane());
    this.#entry = new Follower(connection, "entry", () => this.#showPane());
    this.#travel = new TimeTravel(connection, () => this.#show());

    const clusterTable = new ClusterTable(byID("cluster"));
    this.#cluster = new Follower(connection, "cluster", () =>
      clusterTable.show(this.#cluster.value),
    );
    this.#roomList = new RoomList(
      byID("rooms"), (room) => this.enter(room), (room) => void this.#open(room),
    );
    this.#graphs = new Graphs(byID("graphs"));
    this.#logView = this.#newLogView();
    this.#tabs = new Tabs(byID("panes"), names, () => this.#showPane());
    this.#statePane = new StatePane(this.#tabs.panel(panes.state), {
      open: () => this.#room !== undefined && void this.#open(this.#room),
      who: (path) => {
        this.#tabs.choose(panes.find);
        this.#findPane.ask(path);
        this.#showPane();
      },
    });
    this.#actionPane = new ActionPane(this.#tabs.panel(panes.action), (dispatch) =>
      this.#repeat(dispatch),
    );
    this.#clientList = new ClientList(this.#tabs.panel(panes.clients));
    this.#findPane = new FindPane(this.#tabs.panel(panes.find), {
      change: (path) => this.#find((subject, shown) => this.#search.change(subject, path, shown)),
      first: (path, condition) =>
        this.#find((subject, shown) => this.#search.first(subject, path, condition, 0, shown)),
      goOn: () => {
        this.#search.goOn();
        this.#showPane();
      },
      look: (version) => this.#look(version),
    });
    this.#costPane = new CostPane(this.#tabs.panel(panes.costs));
    this.#form = new DispatchForm(this.#tabs.panel(panes.dispatch), (type, payload) =>
      this.#dispatch(type, payload),
    );
    this.#timeBar = new TimeBar(byID("time"), this.#look, () => this.#skipNothing());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    this.#rooms.follow();
    this.#cluster.follow();
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
    this.#search.leave();
    byID("graphs-title").textContent = `Rates of ${room}`;
    this.#samples.follow({ room });
    this.#detail.follow({ room });
    this.#live.follow({ room });
    this.#samplesOfActions.follow({ room });
    this.#travel.enter(room);
    this.#showRooms();
    this.#show();
  }

  #newLogView() {
    return new LogView(byID("log"), {
      look: (dispatch) => this.#choose(dispatch),
      skip: (dispatch) => this.#skip(dispatch.version),
      older: () => this.#older(),
      exportLog: () => void this.#export(),
      copyTest: () => void this.#copyTest(),
      importLog: (file) => void this.#import(file),
      closeImport: () => {
        this.#imported = undefined;
        this.#chosen = undefined;
        this.#logView.setImported(undefined);
        this.#ask.cancel();
        this.#search.leave();
        this.#travel.leaveImported();
        this.#show();
      },
      changed: () => this.#showLog(),
    });
  }

  // What the person does

  /** @param {Dispatch} dispatch */
  #choose(dispatch) {
    if (this.#imported?.trouble || dispatch.rejection) {
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
    if (this.#imported?.trouble) return;
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

  /** @param {number} version */
  #skip(version) {
    if (this.#imported?.trouble || version < 1) return;
    this.#travel.skip(version);
    this.#tabs.choose(panes.state);
    this.#show();
  }

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
    const room = this.#room;
    if (room === undefined) return this.#notice("Choose a room first.");
    // What becomes of it is shown below the form.
    this.#outcomes.of("dispatch", { room, type, payload }).catch(() => {});
  }

  /**
   * Opens a room from its journal, though nobody is in it.
   *
   * @param {string} room
   */
  async #open(room) {
    await this.#try(async () => {
      this.#notice(`Opening ${room} …`);
      await this.#outcomes.of("open", { room });
      this.#notice("");
      this.enter(room);
    });
  }

  /** @param {(subject: import("./model/Search.js").Subject, shown: number) => void} ask */
  #find(ask) {
    const [room, imported] = [this.#room, this.#imported];
    if (imported?.trouble) return this.#notice(imported.trouble);
    if (!imported && room === undefined) return this.#notice("Choose a room first.");
    const subject = imported ? { id: imported.id } : { room: String(room) };
    ask(subject, this.#travel.version ?? this.#travel.newest);
    this.#showPane();
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
      const text = await file.text();
      const { room, dispatches } = readJournal(text);
      const id = newID();
      const name = `${file.name}, room ${room}`;
      const trouble = "The server is given the log, to reduce it …";
      /** @type {Imported} */
      const log = { id, name, text, dispatches, trouble };
      this.#imported = log;
      this.#chosen = undefined;
      this.#search.leave();
      this.#logView.setImported(name);
      this.#show();
      await this.#bring(log);
    });
  }

  /** Has the server read the imported log, so that its states can be shown. */
  async #bring(/** @type {Imported} */ log) {
    const { id, text } = log;
    try {
      await bringLog(
        async (piece) => void (await this.#outcomes.of("import", piece)),
        { id, room: this.#room, text },
        (share) => this.#notice(`The server is given the log: ${Math.round(share * 100)} %`),
      );
      const outcomes = await answerOf(this.#connection, "importedOutcomes", { id });
      log.ineffective = ineffectiveOf(outcomes);
      log.dispatches = readJournal(text, log.ineffective).dispatches;
      log.trouble = "";
      this.#notice("");
      if (this.#imported === log) this.#travel.enterImported(id, outcomes.version);
    } catch (error) {
      log.trouble = `No states: ${error instanceof Error ? error.message : error}`;
    }
    this.#show();
  }

  /** Copies code that dispatches into a `TestRoom` what led to the version that is shown. */
  async #copyTest() {
    const room = this.#room;
    await this.#try(async () => {
      if (room === undefined) throw new Error("Choose a room first.");
      const { skipped, newest } = this.#travel;
      const through = this.#travel.version ?? newest;
      if (through > mostInTest + skipped.length) {
        throw new Error(`A test has at most ${mostInTest} dispatches: choose an earlier version.`);
      }
      const samples = this.#samplesOfActions.value;
      const { text, ineffective } = this.#imported ?? (await this.#linesUpTo(room, through));
      const code = testCode(text, {
        through, skipped, definition: `${samples?.state ?? "Room"}.room`,
        ...(ineffective && { ineffective }),
        ...(samples?.actions && { types: samples.actions.map(({ type }) => type) }),
      });
      if (await copied(code)) return this.#notice(`The test up to v${through} is copied.`);
      save("CopiedTests.swift", "text/x-swift", code);
      this.#notice("The browser doesn't let the page copy: the test is saved as a file.");
    });
  }

  /**
   * @param {string} room
   * @param {number} through
   */
  async #linesUpTo(room, through) {
    const outcomes = await answerOf(this.#connection, "outcomes", { room, through });
    const last = (/** @type {readonly string[]} */ page) => JSON.parse(page.at(-1) ?? "{}").offset;
    const text = await journalText(
      this.#connection, room, () => {}, (page) => last(page) >= outcomes.offset,
    );
    return { text, ineffective: ineffectiveOf(outcomes) };
  }

  /** @param {() => Promise<void>} body  whose failure is told */
  async #try(body) {
    this.#notice("");
    try {
      await body();
    } catch (error) {
      this.#notice(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    if (event.key === "Escape") this.#look(undefined);
    // The log and the state show it a moment later.
    const { version } = this.#travel;
    if (event.key === "s" && version !== undefined) this.#skip(version);
    if (event.key === "/") {
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
    const chosen = this.#chosen ?? (version === undefined ? undefined : this.#at(version));
    if (this.#imported) {
      return this.#logView.show(this.#imported.dispatches, { version, skipped, chosen });
    }
    const live = this.#live.value;
    if (!this.#logView.isPaused && Array.isArray(live)) this.#log.add(live);
    this.#logView.show(this.#log.entries, { version, skipped, chosen });
  }

  #showTime() {
    const { newest, version, skipped } = this.#travel;
    this.#timeBar.show(newest, version, this.#at(version ?? newest), skipped);
  }

  /**
   * The dispatch that led to a version, if it is known.
   *
   * @param {number} version
   * @returns {Dispatch | undefined}
   */
  #at(version) {
    if (!this.#imported) return this.#log.at(version);
    return this.#imported.dispatches.find((entry) => entry.version === version && !entry.rejection);
  }

  /** @returns {void} */
  #showPane() {
    // Turns are measured only while somebody looks.
    if (this.#tabs.chosen === panes.costs && this.#room !== undefined) {
      this.#turns.follow({ room: this.#room });
    } else {
      this.#turns.leave();
    }
    switch (this.#tabs.chosen) {
      case panes.state:
        return this.#showState();
      case panes.action:
        return this.#showAction();
      case panes.difference:
        return this.#showDifference();
      case panes.find:
        return this.#showFound();
      case panes.clients:
        return this.#clientList.show(this.#detail.value);
      case panes.costs:
        return this.#costPane.show(this.#turns.value, this.#detail.value);
      default:
        return this.#form.show(this.#samplesOfActions.value, this.#outcomes.all, {
          room: this.#room, imported: this.#imported !== undefined,
        });
    }
  }

  #showFound() {
    const { version, now, then } = this.#travel;
    const shown = version === undefined ? now : then;
    const state = shown && "state" in shown && !this.#imported?.trouble ? shown.state : undefined;
    this.#findPane.show(this.#search.asked, this.#search.answer, state);
  }

  #showState() {
    const { version, now, then, problem, skipped } = this.#travel;
    const trouble = this.#imported?.trouble || (version === undefined && problem);
    const shown = trouble ? { problem: trouble } : version === undefined ? now : then;
    const isNow = version === undefined && !this.#imported;
    this.#statePane.show(shown, { skipped, isNow });
  }

  #showAction() {
    const { version, newest } = this.#travel;
    const dispatch = this.#chosen ?? this.#at(version ?? newest);
    const isCut = dispatch?.actions.some(({ excerpt }) => excerpt !== undefined);
    const isLive = dispatch?.number !== undefined && !this.#imported;
    if (!isCut || !isLive || this.#room === undefined) {
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

/** Whether keys are text for what has the focus: a slider and a checkbox take none. */
function isTyping(/** @type {EventTarget | null} */ target) {
  const texts = "input:not([type=range], [type=checkbox]), textarea, select";
  return target instanceof Element && target.matches(texts);
}

/**
 * Whether the browser let the page copy a text.
 *
 * @param {string} text
 */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // It has no clipboard without TLS, and may ask the person.
    return false;
  }
}
