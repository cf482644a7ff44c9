import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import {
  indexedDBOutbox,
  localStorageOutbox,
  memoryCache,
} from "../../Clients/Web/storecast/index.js";
import { stampId } from "../../Clients/Web/storecast/session/stampId.js";
import { FakeChannels, FakeDatabase, FakeLocks } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { SharingBrowser } from "./support/SharingBrowser.js";
import { stateOf, TestPeer, welcome } from "./support/TestPeer.js";

const add = (text) => ({ type: "add", payload: text });

/** Tabs of one browser, and the peers that play their servers. */
class Tabs {
  browser = new SharingBrowser();

  async open(options = {}) {
    const { peer, context } = this.browser.open(options);
    const all = peer.connection.select("all", undefined, {
      optimistic: (list, { payload }, { id }) => [...list, { text: payload, id }],
    });
    const tab = { peer, context, connection: peer.connection, all };
    tab.texts = () => all.getState()?.map((item) => item.text ?? item);
    await this.browser.settle();
    return tab;
  }

  /** The server welcomes the tab that leads, and answers for its selection with a list. */
  async welcome(tab, { value, ...members }) {
    const frames = await tab.peer.welcome(members);
    const { ref } = frames.find(({ op }) => op === "subscribe");
    await tab.peer.say(
      { op: "subscribed", ref, sub: 5, tag: "t", bytes: 2 },
      { op: "snapshot", sub: 5, v: members.v ?? 0, value },
    );
    await this.browser.settle();
    return frames;
  }
}

const sent = (frames) =>
  frames.filter(({ op }) => op === "dispatch").map(({ seq, action }) => [seq, action.payload]);

describe("tabs that share a connection", () => {
  test("have one socket, and all show what the server says", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { v: 1, value: ["a"] });
    assert.equal(first.peer.sockets.length, 1);
    assert.equal(second.peer.sockets.length, 0);
    assert.deepEqual([first, second].map((tab) => tab.connection.status.state), ["live", "live"]);
    assert.deepEqual([first, second].map((tab) => tab.texts()), [["a"], ["a"]]);
    assert.equal(first.connection.participant, second.connection.participant);

    const ops = [{ op: "add", path: "/-", value: "b" }];
    await first.peer.say({ op: "patch", sub: 5, from: 1, v: 2, ops });
    await tabs.browser.settle();
    assert.deepEqual(second.texts(), ["a", "b"]);
    assert.deepEqual(second.all.position, first.all.position);
  });

  test("send what any of them dispatches, once, and each hears of its own outcome", async () => {
    const tabs = new Tabs();
    const [first, second, third] = [await tabs.open(), await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const outcomes = [second.connection.dispatch(add("two")), third.connection.dispatch(add("x!"))];
    await tabs.browser.settle();
    assert.deepEqual(sent(await first.peer.heard()).map(([, text]) => text).sort(), ["two", "x!"]);
    assert.deepEqual(first.texts(), second.texts(), "all show what waits");
    assert.deepEqual(third.texts().sort(), ["two", "x!"]);

    const seq = first.texts().indexOf("x!") + 1;
    await first.peer.say(
      { op: "reject", seq, code: "loud", title: "Not so loud.", retryable: false },
      { op: "transaction", v: 1, count: 1, acked: 2 },
      { op: "snapshot", sub: 5, v: 1, value: ["two"] },
    );
    await tabs.browser.settle();
    assert.equal((await stateOf(outcomes[0])).version, 1);
    assert.equal(await stateOf(outcomes[1]), "loud");
    assert.deepEqual([first, second, third].map((tab) => tab.texts()), [["two"], ["two"], ["two"]]);
    const told = [first, second, third].map(({ peer }) => peer.rejections);
    assert.deepEqual(told, [[], [], [["loud", "add"]]], "the tab that made it is told");
    assert.equal(second.connection.pendingCount, 0);
  });

  test("hear of a rejection that was told while the browser had stopped them", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const outcome = second.connection.dispatch(add("x!"));
    await tabs.browser.settle();
    second.context.sleep();
    const title = "Not so loud.";
    await first.peer.say({ op: "reject", seq: 1, code: "loud", title, retryable: false });
    await tabs.browser.settle();
    second.context.wake();
    await tabs.browser.settle();
    await first.peer.say(
      { op: "transaction", v: 1, count: 1, acked: 1 },
      { op: "snapshot", sub: 5, v: 1, value: ["b"] },
    );
    await tabs.browser.settle();
    assert.equal(await stateOf(outcome), "loud");
    assert.deepEqual(second.peer.rejections, [["loud", "add"]]);
    assert.equal(second.connection.pendingCount, 0);
  });

  test("show what is dispatched offline in any of them", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    await first.peer.end();
    await tabs.browser.settle();
    assert.equal(second.connection.status.state, "offline");
    assert.equal(second.connection.status.retryAt, first.connection.status.retryAt);
    second.connection.dispatch(add("b"));
    first.connection.dispatch(add("a"));
    await tabs.browser.settle();
    assert.deepEqual(first.texts(), second.texts());
    assert.deepEqual(first.texts().sort(), ["a", "b"]);
    assert.deepEqual([first, second].map((tab) => tab.connection.pendingCount), [2, 2]);
  });

  test("say what the one that leads has yet to take, or to write", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    const counts = () => [first, second].map(({ connection }) => connection.unstoredCount);
    second.connection.dispatch(add("two"));
    assert.deepEqual(counts(), [0, 1]);
    await tabs.browser.settle();
    assert.deepEqual(counts(), [0, 0]);
    first.connection.dispatch(add("one"));
    assert.deepEqual(counts(), [1, 0]);
    await tabs.browser.settle();
    assert.deepEqual(counts(), [0, 0]);
    const third = tabs.browser.open({}).peer;
    third.connection.dispatch(add("three"));
    assert.equal(third.connection.unstoredCount, 1, "before it knows who leads");
    await tabs.browser.settle();
    assert.equal(third.connection.unstoredCount, 0);
    assert.equal(third.connection.pendingCount, 3);
  });

  test("number alike what they dispatch at the same moment, and name it anew", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    second.connection.dispatch(add("mine"));
    const { id } = second.all.getState()[0];
    second.connection.dispatch({ type: "add", payload: `edits ${id}` });
    first.connection.dispatch(add("other"));
    assert.equal(first.all.getState()[0].id, id, "both have taken the same number");
    await tabs.browser.settle();
    const frames = sent(await first.peer.heard());
    const [{ client }] = tabs.browser.database.values.filter((value) => value.client);
    assert.equal(id, stampId(client, 1));
    assert.deepEqual(frames, [
      [1, "other"],
      [2, "mine"],
      [3, `edits ${stampId(client, 2)}`],
    ]);
    assert.equal(second.all.getState()[1].id, stampId(client, 2));
  });

  test("lead when the one that led is closed, with its outbox", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    const [{ client }] = await tabs.welcome(first, { v: 3, value: ["a"] });
    const outcome = second.connection.dispatch(add("b"));
    first.connection.dispatch(add("c"));
    await tabs.browser.settle();
    first.connection.close();
    await tabs.browser.settle();
    assert.equal(second.peer.sockets.length, 1);
    const [hello, subscribe] = await second.peer.open();
    assert.equal(hello.client, client, "as the same client");
    assert.equal(subscribe.at.v, 3, "it goes on where it was");
    const frames = await second.peer.say(welcome({ v: 4, lastSeq: 1 }));
    assert.equal(sent(frames).length, 1);
    await second.peer.say(
      { op: "subscribed", ref: subscribe.ref, sub: 5, tag: "t", bytes: 1 },
      { op: "transaction", v: 5, count: 1, acked: 2 },
      { op: "snapshot", sub: 5, v: 5, value: ["a", "b", "c"] },
    );
    await tabs.browser.settle();
    assert.equal(typeof (await stateOf(outcome)).version, "number");
    assert.equal(second.connection.pendingCount, 0);
  });

  test("lead when the one that led has stopped, which can't write any more", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    first.context.isFrozen = true;
    const outcome = second.connection.dispatch(add("b"));
    await tabs.browser.advance(7000);
    assert.equal(second.peer.sockets.length, 1, "it has waited for four to six seconds");
    const [hello, subscribe] = await second.peer.open();
    first.connection.dispatch(add("late"));
    await tabs.browser.settle();
    assert.deepEqual(sent(await first.peer.heard()), [], "nothing is sent that isn't written");
    first.context.isFrozen = false;
    await tabs.browser.settle();
    assert.equal(first.peer.socket.isClosed, true);
    const frames = await second.peer.say(
      welcome({ epoch: "e" }),
      { op: "subscribed", ref: subscribe.ref, sub: 5, tag: "t", bytes: 1 },
      { op: "snapshot", sub: 5, v: 0, value: [] },
    );
    await tabs.browser.settle();
    const all = [...sent(frames), ...sent(await second.peer.heard())];
    assert.deepEqual(all, [
      [1, "b"],
      [2, "late"],
    ]);
    assert.equal(hello.settled, undefined);
    await second.peer.say(
      { op: "transaction", v: 2, count: 1, acked: 2 },
      { op: "snapshot", sub: 5, v: 2, value: ["b", "late"] },
    );
    await tabs.browser.settle();
    assert.equal((await stateOf(outcome)).version, 2);
    assert.deepEqual(first.texts(), ["b", "late"]);
  });

  test("give the connection on when the browser says that a page is about to stop", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    first.context.sleep();
    await tabs.browser.settle();
    assert.equal(first.peer.socket.isClosed, true);
    assert.equal(second.peer.sockets.length, 1);
    await tabs.welcome(second, { v: 1, value: ["a"] });
    first.context.wake();
    await tabs.browser.settle();
    assert.deepEqual(first.texts(), ["a"]);
    assert.equal(first.connection.status.state, "live");
  });

  test("that don't lead any more follow nothing for others", async () => {
    const answer = async ({ peer }) => {
      const [{ select, ref }] = await peer.heard();
      assert.equal(select, "mine");
      await peer.say(
        { op: "subscribed", ref, sub: 6, tag: "u", bytes: 2 },
        { op: "snapshot", sub: 6, v: 0, value: 1 },
      );
      await tabs.browser.settle();
      return ref;
    };
    const tabs = new Tabs();
    const [first, second, third] = [await tabs.open(), await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const end = third.connection.select("mine").subscribe(() => {});
    await tabs.browser.settle();
    await answer(first);
    first.context.sleep();
    await tabs.browser.settle();
    await tabs.welcome(second, { value: [] });
    first.context.wake();
    await tabs.browser.settle();
    const ref = await answer(second);
    end();
    await tabs.browser.advance(6000);
    assert.deepEqual(await second.peer.heard(), [{ op: "unsubscribe", ref }]);
  });

  test("keep the outcome for a tab that hasn't heard it when its leader is gone", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const outcome = second.connection.dispatch(add("x!"));
    await tabs.browser.settle();
    await first.peer.heard();
    second.context.isFrozen = true;
    await first.peer.say(
      { op: "reject", seq: 1, code: "loud", title: "Not so loud.", retryable: false },
      { op: "transaction", v: 0, count: 0, acked: 1 },
    );
    first.connection.dispatch(add("y"));
    await tabs.browser.settle();
    const [frame] = await first.peer.heard();
    assert.equal(frame.settled, undefined, "the server is to remember it, too");
    second.context.forget();
    tabs.browser.crash(first.context);
    second.context.isFrozen = false;
    await tabs.browser.settle();
    await tabs.browser.advance(7000);
    const [hello, { ref }] = await second.peer.open();
    assert.equal(hello.settled, undefined);
    const rejected = [{ seq: 1, code: "loud", title: "Not so loud." }];
    await second.peer.say(welcome({ v: 1, lastSeq: 2, rejected }));
    await second.peer.say(
      { op: "subscribed", ref, sub: 5, tag: "t", bytes: 1 },
      { op: "snapshot", sub: 5, v: 1, value: ["y"] },
    );
    await tabs.browser.settle();
    assert.equal(await stateOf(outcome), "loud");
  });

  test("keep no outcome for a tab that was closed", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const outcome = second.connection.dispatch(add("x"));
    await tabs.browser.settle();
    await first.peer.heard();
    second.connection.close();
    assert.equal(await stateOf(outcome), "closed");
    await tabs.browser.settle();
    await first.peer.say({ op: "transaction", v: 0, count: 0, acked: 1 });
    first.connection.dispatch(add("y"));
    await tabs.browser.settle();
    const [frame] = await first.peer.heard();
    assert.equal(frame.settled, 1, "the server may forget it");
  });

  for (const end of ["closed", "gone"]) {
    test(`follow nothing any more that only a tab has followed that is ${end}`, async () => {
      const tabs = new Tabs();
      const [first, second] = [await tabs.open(), await tabs.open()];
      await tabs.welcome(first, { value: [] });
      second.connection.select("mine").subscribe(() => {});
      await tabs.browser.settle();
      const [{ select, ref }] = await first.peer.heard();
      assert.equal(select, "mine");
      await first.peer.say(
        { op: "subscribed", ref, sub: 6, tag: "u", bytes: 2 },
        { op: "snapshot", sub: 6, v: 0, value: 1 },
      );
      await tabs.browser.settle();
      if (end === "closed") second.connection.close();
      else tabs.browser.crash(second.context);
      await tabs.browser.settle();
      assert.deepEqual(await first.peer.heard(), [{ op: "unsubscribe", ref }]);
    });
  }

  test("say so to all of them when the outbox is full or can't be written", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    tabs.browser.database.fault = "full";
    first.connection.dispatch(add("a"));
    await tabs.browser.settle();
    const shown = [];
    const counts = [];
    second.all.subscribe(() => shown.push(second.texts()));
    second.connection.subscribe(() => counts.push(second.connection.pendingCount));
    const outcome = second.connection.dispatch(add("b"));
    await tabs.browser.settle();
    await tabs.browser.advance(100);
    assert.equal(await stateOf(outcome), "outbox-unwritable");
    assert.deepEqual(second.texts(), ["a"]);
    assert.deepEqual([shown.at(-1), counts.at(-1)], [["a"], 1], "who listens is told");
    tabs.browser.database.fault = undefined;
    await tabs.browser.advance(6000);
    const later = second.connection.dispatch(add("c"));
    await tabs.browser.settle();
    assert.equal(await stateOf(later), "pending");
    assert.deepEqual(sent(await first.peer.heard()).map(([, text]) => text), ["a", "c"]);
  });

  test("take nothing into the outbox that nobody could read again, whoever says it", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const channel = tabs.browser.channels.of(() => {})(`storecast texts tabs ws://test/`);
    const say = (message) =>
      channel.postMessage({ storecast: 1, from: "another page", ...message });
    const good = { seq: 1, base: 0, epoch: "", action: '{"type":"add","payload":"z"}', n: 1 };
    for (const wrong of [
      undefined,
      { ...good, action: "{" },
      { ...good, action: "null" },
      { ...good, action: 5 },
      { ...good, action: '{"payload":1}' },
      { ...good, base: "0" },
      { ...good, base: -1 },
      { ...good, epoch: 5 },
      { ...good, seq: "1" },
    ]) {
      say({ kind: "join", first: 1 });
      say({ kind: "dispatch", previous: 0, dispatch: wrong });
      // The page's console is told, as of every error of a listener.
      await assert.rejects(tabs.browser.settle());
      await tabs.browser.settle();
    }
    for (const n of [NaN, "many", undefined, {}]) {
      say({ kind: "join", first: 1 });
      say({ kind: "dispatch", previous: 0, dispatch: { ...good, n } });
      await tabs.browser.settle();
    }
    assert.equal(first.connection.pendingCount, 0);
    second.connection.dispatch(add("a"));
    await tabs.browser.settle();
    assert.deepEqual(sent(await first.peer.heard()), [[1, "a"]]);
    for (const { connection } of [first, second]) connection.close();
    const third = await tabs.open();
    assert.equal(third.connection.pendingCount, 1);
    assert.equal(third.connection.outboxProblem, undefined);
  });

  test("show the same without a server, also one that is opened or loaded again", async () => {
    const cache = { storage: memoryCache(), viewer: "ada" };
    const tabs = new Tabs();
    const [first, second] = [await tabs.open({ cache }), await tabs.open({ cache })];
    await tabs.welcome(first, { v: 1, value: ["old"] });
    await first.connection.saveCache();
    await first.peer.say({ op: "snapshot", sub: 5, v: 2, value: ["new"] });
    await first.peer.end();
    await tabs.browser.settle();
    const third = await tabs.open({ cache });
    assert.deepEqual([third.texts(), third.all.isLive], [["new"], false]);
    assert.deepEqual(third.all.position, first.all.position);
    // Now the cache is behind the tab that comes to lead.
    tabs.browser.crash(first.context);
    await tabs.browser.settle();
    const fourth = await tabs.open({ cache });
    const others = [second, third, fourth];
    assert.deepEqual(others.map((tab) => tab.texts()), [["new"], ["new"], ["new"]]);
    // Of another person they show one another nothing.
    const stranger = await tabs.open({ cache: { ...cache, viewer: "eve" } });
    assert.equal(stranger.texts(), undefined);
  });

  test("that were stopped show what was missed, without a server too", async () => {
    const cache = { storage: memoryCache(), viewer: "ada" };
    const tabs = new Tabs();
    const [first, second] = [await tabs.open({ cache }), await tabs.open({ cache })];
    await tabs.welcome(first, { v: 1, value: ["old"] });
    second.context.sleep();
    await first.peer.say({ op: "snapshot", sub: 5, v: 2, value: ["new"] });
    await first.peer.end();
    await tabs.browser.settle();
    assert.deepEqual(second.texts(), ["old"]);
    second.context.wake();
    await tabs.browser.settle();
    assert.deepEqual(second.texts(), ["new"]);
    // What has come meanwhile is not taken back.
    first.connection.reconnect();
    const frames = await first.peer.welcome({ v: 3 });
    const { ref } = frames.find(({ op }) => op === "subscribe");
    const ops = [{ op: "add", path: "/-", value: "newer" }];
    const subscribed = { op: "subscribed", ref, sub: 5, tag: "t", bytes: 2 };
    await first.peer.say(subscribed, { op: "patch", sub: 5, from: 2, v: 3, ops });
    await tabs.browser.settle();
    assert.deepEqual(second.texts(), ["new", "newer"]);
  });

  test("keep one cache, and take it away together", async () => {
    const storage = memoryCache();
    const tabs = new Tabs();
    const cache = { storage, viewer: "ada" };
    const [first, second] = [await tabs.open({ cache }), await tabs.open({ cache })];
    await tabs.welcome(first, { v: 1, value: ["a"] });
    await first.connection.saveCache();
    const [kept] = storage.values.values();
    storage.values.clear();
    await second.connection.saveCache();
    assert.equal(storage.values.size, 0, "the tab that leads writes");
    for (const { connection } of [first, second]) connection.close();
    await tabs.browser.settle();
    storage.values.clear();
    storage.values.set(`storecast ws://test/ ada`, kept);
    const third = await tabs.open({ cache });
    const fourth = await tabs.open({ cache });
    assert.deepEqual([third.texts(), fourth.texts()], [["a"], ["a"]], "without a connection");
    await fourth.connection.wipeCache();
    await tabs.browser.settle();
    await third.connection.saveCache();
    assert.equal(storage.values.size, 0);
    const [fifth, sixth] = [await tabs.open({ cache }), await tabs.open({ cache })];
    third.connection.close();
    fourth.connection.close();
    await tabs.browser.settle();
    await tabs.welcome(fifth, { v: 1, value: ["a"] });
    await fifth.connection.saveCache();
    assert.equal(storage.values.size, 1);
    sixth.connection.close();
    await sixth.connection.wipeCache();
    await tabs.browser.settle();
    await fifth.connection.saveCache();
    assert.equal(storage.values.size, 0, "it is taken away by a tab that is closed, too");
  });

  test("open the outbox while the cache is read, and connect when both are there", async () => {
    const tabs = new Tabs();
    const storage = memoryCache();
    const cache = { storage, viewer: "ada" };
    const reads = [];
    storage.get = () => new Promise((resolve) => reads.push(() => resolve(undefined)));
    const first = await tabs.open({ cache });
    assert.equal(tabs.browser.database.values.length, 1, "it is open");
    assert.equal(first.peer.sockets.length, 0);
    const second = await tabs.open({ cache });
    first.connection.close();
    await tabs.browser.settle();
    for (const finish of reads) finish();
    await tabs.browser.settle();
    assert.equal(first.peer.sockets.length, 0, "closed while it was read");
    assert.equal(second.peer.sockets.length, 1);
    const third = await tabs.open();
    await tabs.welcome(second, { v: 1, value: ["a"] });
    assert.deepEqual([second, third].map((tab) => tab.texts()), [["a"], ["a"]]);
  });

  test("open the database while they wait for their locks", async () => {
    const indexedDB = new FakeDatabase();
    let opened = 0;
    const open = indexedDB.open.bind(indexedDB);
    indexedDB.open = (...details) => (opened += 1, open(...details));
    const granted = [];
    const locks = { request: (_, __, held) => new Promise(() => granted.push(held)) };
    const platform = Object.assign(new ManualPlatform(), { locks });
    platform.openChannel = () => ({ postMessage() {}, close() {} });
    const outbox = indexedDBOutbox("texts", { indexedDB });
    const peer = new TestPeer({ platform, outbox, tabs: true });
    await settle();
    assert.equal(opened, 1);
    assert.deepEqual([granted.length, indexedDB.values.length], [2, 0], "nothing is read yet");
    // The browser may close it until then.
    indexedDB.isCut = true;
    for (const held of granted) void held();
    await settle();
    assert.equal(opened, 2);
    assert.equal(peer.sockets.length, 1);
  });

  test("have a connection of their own where tabs have no locks", async () => {
    const peers = [1, 2].map(() => {
      const platform = Object.assign(new ManualPlatform(), { locks: undefined });
      return new TestPeer({ platform, tabs: true, outbox: indexedDBOutbox() });
    });
    await settle();
    for (const peer of peers) assert.equal(peer.sockets.length, 1);
  });

  test("have a connection of their own where the browser denies them locks", async () => {
    let asked = 0;
    const denied = () => {
      // Asked for ever, it would be the end of the page.
      if ((asked += 1) > 20) return new Promise(() => {});
      return Promise.reject(new DOMException("Cookies are blocked.", "SecurityError"));
    };
    const platform = Object.assign(new ManualPlatform(), { locks: { request: denied } });
    platform.openChannel = new FakeChannels().of((work) => work());
    const indexedDB = new FakeDatabase();
    const outbox = indexedDBOutbox("a", { indexedDB, locks: platform.locks });
    const peer = new TestPeer({ platform, tabs: true, outbox });
    await settle();
    assert.equal(peer.sockets.length, 1);
    assert(asked < 20);
    assert.match(peer.troubles[0], /SecurityError/);
  });

  test("have a connection of their own where the browser denies them channels", async () => {
    const platform = Object.assign(new ManualPlatform(), { locks: new FakeLocks() });
    platform.openChannel = () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    const { locks } = platform;
    const outbox = indexedDBOutbox("a", { indexedDB: new FakeDatabase(), locks });
    const peer = new TestPeer({ platform, tabs: true, outbox });
    await settle();
    assert.equal(peer.sockets.length, 1);
    assert.match(peer.troubles[0], /SecurityError/);
  });

  test("have a connection of their own where the outbox can't be opened", async () => {
    const tabs = new Tabs();
    tabs.browser.database.fault = "broken";
    const first = await tabs.open();
    first.connection.dispatch(add("a"));
    await tabs.browser.settle();
    assert.equal(first.peer.sockets.length, 1);
    assert.equal(first.connection.pendingCount, 1);
  });

  test("that are closed leave the database to whoever wants to delete it", async () => {
    const tabs = new Tabs();
    const { database } = tabs.browser;
    const [first, second, third] = [await tabs.open(), await tabs.open(), await tabs.open()];
    second.connection.close();
    first.connection.close();
    await tabs.browser.settle();
    assert.equal(database.holders, 1);
    third.connection.close();
    await tabs.browser.settle();
    assert.equal(database.holders, 0);
    database.fault = "broken";
    const alone = await tabs.open();
    assert.equal(alone.peer.sockets.length, 1);
    alone.connection.close();
    await tabs.browser.settle();
    assert.equal(database.holders, 0, "nor does one that couldn't share it");
  });

  test("leave to those of another version what is in the outbox, and don't send it", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    await first.peer.end();
    const outcomes = [first.connection.dispatch(add("a")), second.connection.dispatch(add("b"))];
    await tabs.browser.settle();
    const [{ client }] = tabs.browser.database.values.filter((value) => value.client);
    const name = "storecast texts tabs ws://test/";
    const later = (work) => work();
    void tabs.browser.locks.of(later).request(name, { steal: true }, () => new Promise(() => {}));
    await tabs.browser.settle();
    const newer = { storecast: 2, from: "a newer one", kind: "lead", opening: 9 };
    tabs.browser.channels.of(later)(name).postMessage(newer);
    second.connection.dispatch(add("c"));
    await tabs.browser.settle();
    assert.deepEqual(await Promise.all(outcomes.map(stateOf)), Array(2).fill("outcome-unknown"));
    for (const tab of [first, second]) {
      const [hello, ...frames] = await tab.peer.welcome();
      assert.notEqual(hello.client, client, "the outbox's client is the others'");
      assert.deepEqual(sent(frames), tab === second ? [[1, "c"]] : []);
    }
  });

  test("don't send again, as another client, when the outbox was taken away", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    const [{ client }] = await tabs.welcome(first, { value: [] });
    const outcome = second.connection.dispatch(add("b"));
    await tabs.browser.settle();
    assert.deepEqual(sent(await first.peer.heard()), [[1, "b"]]);
    tabs.browser.database.clear();
    tabs.browser.crash(first.context);
    const later = second.connection.dispatch(add("c"));
    await tabs.browser.settle();
    const [hello, ...frames] = await second.peer.welcome();
    await tabs.browser.settle();
    assert.notEqual(hello.client, client);
    assert.deepEqual(sent([...frames, ...(await second.peer.heard())]), [[1, "c"]]);
    assert.equal(await stateOf(outcome), "outcome-unknown");
    assert.equal(await stateOf(later), "pending");
  });

  test("leave a server alone that wants it, whichever of them is shown", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    const wait = { reconnect: true, after: 60, jitter: 0 };
    const bye = { op: "bye", code: "full", title: "Later.", ...wait };
    await first.peer.say(bye);
    await first.peer.end(4103);
    await tabs.browser.settle();
    second.context.platform.networkChanges();
    await tabs.browser.settle();
    assert.equal(first.peer.sockets.length, 1);
    second.connection.reconnect();
    await tabs.browser.settle();
    assert.equal(first.peer.sockets.length, 2, "unless somebody says so");
    await first.peer.end();
    await tabs.browser.settle();
    second.context.platform.networkChanges();
    await tabs.browser.settle();
    assert.equal(first.peer.sockets.length, 3, "it was lost, and the network is another one");
  });

  test("that are closed can be told anything", async () => {
    const tabs = new Tabs();
    const [first, second] = [await tabs.open(), await tabs.open()];
    await tabs.welcome(first, { value: [] });
    for (const { connection } of [second, first]) {
      let outcome;
      connection.on("status", ({ state }) => {
        if (state === "closed") outcome = connection.dispatch(add("last words"));
      });
      connection.close();
      connection.reconnect();
      connection.authenticate("newer");
      await tabs.browser.settle();
      assert.equal(connection.status.state, "closed");
      assert.equal(await stateOf(outcome), "closed");
    }
  });

  test("can't share an outbox that isn't made for it", () => {
    const outbox = localStorageOutbox();
    assert.throws(() => new TestPeer({ tabs: true, outbox }), TypeError);
  });
});
