import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { indexedDBOutbox, localStorageOutbox } from "../../Clients/Web/storecast/index.js";
import { Outbox } from "../../Clients/Web/storecast/session/Outbox.js";
import { FakeDatabase, FakeLocks, FakeStorage } from "./support/FakeStorage.js";
import { ManualPlatform, settle } from "./support/ManualPlatform.js";
import { stateOf, TestPeer } from "./support/TestPeer.js";

const vote = (n) => ({ type: "vote", payload: { n } });
const dispatches = (frames) =>
  frames
    .filter(({ op }) => op === "dispatch")
    .map(({ seq, base, action }) => [seq, base, action.payload.n]);

/** A browser, whose tabs come and go. */
class Browser {
  storage = new FakeStorage();
  database = new FakeDatabase();
  locks = new FakeLocks();
  platform = new ManualPlatform();
  #makeOutbox;

  constructor(makeOutbox = localStorageOutbox) {
    this.#makeOutbox = makeOutbox;
  }

  tab({ storage = this.storage, locks = this.locks, ...options } = {}) {
    const outbox = this.#makeOutbox("votes", { storage, indexedDB: this.database, locks });
    return new TestPeer({ platform: this.platform, outbox, ...options });
  }

  /** Why nothing can be written. */
  set fault(fault) {
    this.storage.fault = fault;
    this.database.fault = fault;
  }

  /** The storage, as it would be read by a tab that is made now. */
  get kept() {
    const texts = this.storage.keys.map((key) => this.storage.getItem(key));
    return [...texts.map((text) => JSON.parse(text)), ...this.database.values];
  }
}

for (const [storage, makeOutbox] of [
  ["localStorage", localStorageOutbox],
  ["IndexedDB", indexedDBOutbox],
]) {
  describe(`an outbox that outlives its page, in ${storage}`, () => {
    test("goes on where the last page ended, as the same client", async () => {
      const browser = new Browser(makeOutbox);
      const first = browser.tab();
      const [{ client }] = await first.welcome({ v: 7 });
      for (let n = 1; n <= 3; n += 1) first.connection.dispatch(vote(n));
      await first.heard();
      await first.say({ op: "transaction", v: 8, count: 0, acked: 1 });
      first.connection.close();
      await settle();

      const second = browser.tab();
      second.connection.dispatch(vote(4));
      const [hello, ...frames] = await second.welcome({ v: 20, lastSeq: 2 });
      assert.deepEqual([hello.client, hello.settled], [client, 1]);
      assert.deepEqual(dispatches(frames), [
        [3, 7, 3],
        [4, 20, 4],
      ]);
      await second.say({ op: "transaction", v: 22, count: 0, acked: 4 });
      assert.deepEqual(browser.kept, [{ client, settled: 4, opening: 2 }]);
    });

    test("has what was dispatched before it was open, also where there is no server", async () => {
      const browser = new Browser(makeOutbox);
      browser.tab().connection.dispatch(vote(1));
      await settle();
      assert.deepEqual(browser.kept.flatMap(({ seq }) => seq ?? []), [1]);
    });

    test("of a tab that is gone is taken before one that is empty", async () => {
      const browser = new Browser(makeOutbox);
      const tabs = [browser.tab(), browser.tab(), browser.tab()];
      const clients = [];
      for (const tab of tabs) clients.push((await tab.welcome())[0].client);
      assert.equal(new Set(clients).size, 3);
      tabs[2].connection.dispatch(vote(3));
      await settle();
      for (const tab of tabs) tab.connection.close();
      await settle();

      const next = browser.tab();
      const [hello, ...frames] = await next.welcome();
      assert.equal(hello.client, clients[2]);
      assert.deepEqual(dispatches(frames), [[1, 0, 3]]);
    });

    test("numbers connections on and on, page after page and whatever the clock says", async () => {
      const browser = new Browser(makeOutbox);
      const numbers = [];
      for (let page = 1; page <= 3; page += 1) {
        const peer = browser.tab();
        for (let connection = 1; connection <= 2; connection += 1) {
          numbers.push((await peer.welcome())[0].connection);
          // The second page has nothing to write.
          if (page !== 2) peer.connection.dispatch(vote(1));
          await peer.heard();
          await peer.cut();
        }
        peer.connection.close();
        await settle();
        browser.platform = new ManualPlatform();
      }
      assert.equal(numbers.length, 6);
      for (const [place, number] of numbers.entries()) {
        assert(Number.isSafeInteger(number) && number > (numbers[place - 1] ?? 0), `${numbers}`);
      }
    });

    test("leaves the number out if it can't be kept, and counts on behind it", async () => {
      const browser = new Browser(makeOutbox);
      const first = browser.tab();
      const [{ connection }] = await first.welcome();
      first.connection.dispatch(vote(1));
      await first.heard();
      first.connection.close();
      await settle();

      browser.fault = "full";
      const second = browser.tab();
      assert.equal((await second.welcome())[0].connection, undefined);
      second.connection.close();
      await settle();

      browser.fault = undefined;
      const third = browser.tab();
      assert((await third.welcome())[0].connection > connection);
    });
  });
}

describe("an outbox in localStorage", () => {
  test("holds a dispatch before it is sent", async () => {
    const browser = new Browser();
    const peer = browser.tab();
    await peer.welcome({ v: 7 });
    peer.connection.dispatch(vote(1));
    let kept;
    peer.socket.send = () => (kept = browser.kept);
    await settle();
    const { client } = kept.find(({ client }) => client);
    const action = JSON.stringify(vote(1));
    assert.equal(client, "2".padStart(32, "0"));
    const epoch = "c0ffee5b1d0a4f7e9b3c2a1d5e6f7081";
    assert.deepEqual(kept.filter(({ seq }) => seq), [{ seq: 1, base: 7, epoch, action }]);
  });

  test("doesn't send again what a page that crashed had no time to remove", async () => {
    const browser = new Browser();
    const first = browser.tab();
    const [{ client }] = await first.welcome({ v: 7 });
    for (let n = 1; n <= 3; n += 1) first.connection.dispatch(vote(n));
    await first.heard();
    browser.storage.removeItem = () => {};
    await first.say({ op: "transaction", v: 9, count: 0, acked: 2 });
    delete browser.storage.removeItem;
    first.connection.close();
    await settle();

    const second = browser.tab();
    const [hello, ...frames] = await second.welcome({ v: 20, lastSeq: 2 });
    assert.deepEqual([hello.client, hello.settled], [client, 2]);
    assert.deepEqual(dispatches(frames), [[3, 7, 3]]);
    await second.say({ op: "transaction", v: 21, count: 0, acked: 3 });
    assert.deepEqual(browser.kept, [{ client, settled: 3, opening: 2 }]);
  });

  test("isn't stopped by one of its own connections while it can't number them", async () => {
    const browser = new Browser();
    browser.storage.fault = "full";
    const tab = browser.tab();
    const wait = { reconnect: false, after: 0, jitter: 0 };
    const replaced = { op: "bye", code: "replaced", title: "Bye.", ...wait };
    await tab.welcome();
    await tab.end(1006);
    await tab.platform.advance(60_000);
    await tab.welcome();
    await tab.say(replaced);
    await tab.end(4104);
    assert.equal(tab.connection.status.state, "offline");

    // With one connection only, it was another page.
    const other = browser.tab();
    await other.welcome();
    await other.say(replaced);
    await other.end(4104);
    assert.equal(other.connection.status.state, "refused");
  });

  test("isn't stopped by a connection of its last page while it can't number its own", async () => {
    const browser = new Browser();
    const first = browser.tab();
    const [{ client }] = await first.welcome();
    first.connection.close();
    await settle();

    browser.storage.fault = "full";
    const next = browser.tab();
    const [hello] = await next.welcome();
    assert.deepEqual([hello.client, hello.connection], [client, undefined]);
    const wait = { reconnect: false, after: 0, jitter: 0 };
    await next.say({ op: "bye", code: "replaced", title: "Bye.", ...wait });
    await next.end(4104);
    assert.equal(next.connection.status.state, "offline");
  });

  test("shows what the last page left, and tells of its rejections", async () => {
    const browser = new Browser();
    const first = browser.tab();
    await first.welcome();
    first.connection.dispatch(vote(1));
    await first.heard();
    first.connection.close();
    await settle();

    const second = browser.tab();
    const optimistic = (sum, { payload }) => sum + payload.n;
    const store = second.connection.select("sum", undefined, { optimistic });
    await settle();
    assert.equal(second.connection.pendingCount, 1);
    await second.welcome();
    const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
    await second.say(subscribed, { op: "snapshot", sub: 5, v: 0, value: 10 });
    assert.equal(store.getState(), 11);
    await second.say({ op: "reject", seq: 1, code: "late", title: "Late.", retryable: false });
    await second.say({ op: "transaction", v: 0, count: 0, acked: 1 });
    assert.equal(store.getState(), 10);
    assert.deepEqual(second.rejections, [["late", "vote"]]);
  });

  test("is another one in another tab, and goes to the next when the tab is closed", async () => {
    const browser = new Browser();
    const tabs = [browser.tab(), browser.tab()];
    const hellos = [];
    for (const tab of tabs) hellos.push((await tab.welcome())[0].client);
    assert.notEqual(hellos[0], hellos[1]);
    tabs[1].connection.dispatch(vote(1));
    await tabs[1].heard();
    tabs[1].connection.close();
    await settle();
    // Both slots but the first's are free; the one with a dispatch comes first.
    const third = browser.tab();
    const [hello, ...frames] = await third.welcome();
    assert.equal(hello.client, hellos[1]);
    assert.deepEqual(dispatches(frames), [[1, 0, 1]]);
  });

  test("of another room or another name is another", async () => {
    const browser = new Browser();
    const { storage, locks } = browser;
    const open = (name, url) =>
      localStorageOutbox(name, { storage, locks }).open(url, browser.platform.newClient);
    const outboxes = await Promise.all([
      open("a", "ws://test/"),
      open("b", "ws://test/"),
      open("a", "ws://test/rooms/2"),
    ]);
    for (const { write } of outboxes) write({ dispatches: [], settled: 1 });
    assert.equal(new Set(browser.kept.map(({ client }) => client)).size, 3);
  });

  test("that can't be written sends nothing new, says so, and goes on when it can", async () => {
    const browser = new Browser();
    const peer = browser.tab();
    await peer.welcome();
    browser.storage.fault = "QuotaExceededError";
    const first = peer.connection.dispatch(vote(1));
    assert.deepEqual(await peer.heard(), []);
    assert.equal(peer.connection.outboxProblem.code, "outbox-unwritable");
    assert.equal(await stateOf(peer.connection.dispatch(vote(2))), "outbox-unwritable");
    assert.equal(peer.connection.pendingCount, 1);
    browser.storage.fault = undefined;
    await browser.platform.advance(5000);
    assert.deepEqual(dispatches(await peer.heard()), [[1, 0, 1]]);
    assert.equal(peer.connection.outboxProblem, undefined);
    peer.connection.dispatch(vote(3));
    assert.deepEqual(dispatches(await peer.heard()), [[2, 0, 3]]);
    assert.equal(await stateOf(first), "pending");
  });

  /** A tab that has one dispatch in IndexedDB. */
  const tabWithOne = async () => {
    const browser = new Browser(indexedDBOutbox);
    const peer = browser.tab();
    await settle();
    await peer.welcome();
    peer.connection.dispatch(vote(1));
    await settle();
    return { browser, peer };
  };

  test("in IndexedDB is opened again when the browser has closed it", async () => {
    const { browser, peer } = await tabWithOne();
    browser.database.isCut = true;
    peer.connection.dispatch(vote(2));
    await settle();
    assert.deepEqual(dispatches(await peer.heard()), [[1, 0, 1], [2, 0, 2]]);
    assert.equal(peer.connection.outboxProblem, undefined);
    browser.database.isCut = true;
    peer.connection.dispatch(vote(3));
    peer.connection.close();
    await settle();
    const next = browser.tab();
    await settle();
    assert.deepEqual(dispatches(await next.welcome()), [[1, 0, 1], [2, 0, 2], [3, 0, 3]]);
  });

  test("in IndexedDB that was taken away takes nothing that nobody could read", async () => {
    const { browser, peer } = await tabWithOne();
    browser.database.clear();
    peer.connection.dispatch(vote(2));
    await settle();
    assert.match(peer.connection.outboxProblem.detail, /taken away/);
    assert.deepEqual(browser.kept, []);
    peer.connection.close();
    const next = browser.tab();
    await settle();
    await next.welcome();
    next.connection.dispatch(vote(3));
    await settle();
    assert.deepEqual(dispatches(await next.heard()), [[1, 0, 3]]);
  });

  test("is in memory where there are no locks, and that is no secret", async () => {
    const peer = new Browser().tab({ locks: null });
    await peer.welcome();
    assert.equal(peer.connection.outboxProblem.code, "outbox-locked");
    peer.connection.dispatch(vote(1));
    assert.deepEqual(dispatches(await peer.heard()), [[1, 0, 1]]);
  });

  for (const [about, spoil] of [
    ["whose owner is gone", (storage, [head]) => storage.removeItem(head)],
    ["with a gap", (storage, keys) => storage.removeItem(keys.find((key) => / 1$/.test(key)))],
    ["that is no JSON", (storage, [head]) => storage.setItem(head, "{")],
    ["with a dispatch that is none", (storage, keys) => storage.setItem(keys.at(-1), '{"seq":2}')],
  ]) {
    test(`${about} is left as it is, and another one taken`, async () => {
      const browser = new Browser();
      const first = browser.tab();
      const [{ client }] = await first.welcome();
      for (const n of [1, 2]) first.connection.dispatch(vote(n));
      await first.heard();
      first.connection.close();
      await settle();
      // The head, which has the shortest key, and the dispatches.
      spoil(browser.storage, browser.storage.keys.sort());
      const { keys } = browser.storage;
      const spoilt = keys.map((key) => browser.storage.getItem(key));
      const second = browser.tab();
      const [hello, ...frames] = await second.welcome();
      assert.notEqual(hello.client, client);
      assert.deepEqual(dispatches(frames), []);
      assert.deepEqual(keys.map((key) => browser.storage.getItem(key)), spoilt);
    });
  }

  test("that has forgotten the last of what it was given makes nobody believe a lie", async () => {
    const browser = new Browser();
    const first = browser.tab();
    await first.welcome();
    first.connection.dispatch(vote(1));
    await first.heard();
    await first.say({ op: "transaction", v: 1, count: 0, acked: 1 });
    const [key] = browser.storage.keys;
    const before = browser.storage.getItem(key);
    first.connection.dispatch(vote(2));
    await first.heard();
    first.connection.close();
    await settle();
    browser.storage.keys.forEach((key) => browser.storage.removeItem(key));
    browser.storage.setItem(key, before);

    const second = browser.tab();
    const outcome = second.connection.dispatch(vote("new"));
    await second.welcome({ v: 2, lastSeq: 2 });
    assert.equal(await stateOf(outcome), "outcome-unknown", "2 was another action");
  });
});

/** A storage that a test lets finish its writes. */
function slowOutbox(contents = { client: "c".repeat(32), settled: 0, dispatches: [] }) {
  const writes = [];
  const write = (change) =>
    new Promise((resolve, reject) => writes.push({ change, resolve, reject }));
  return { writes, open: async () => ({ contents, write, close: () => {} }) };
}

describe("an outbox that takes its time", () => {
  test("holds back what isn't written, and writes together what waits", async () => {
    const outbox = slowOutbox();
    const peer = new TestPeer({ outbox });
    await peer.welcome();
    for (const n of [1, 2]) peer.connection.dispatch(vote(n));
    assert.deepEqual(await peer.heard(), []);
    peer.connection.dispatch(vote(3));
    await settle();
    assert.equal(outbox.writes.length, 1, "one at a time");
    outbox.writes[0].resolve();
    assert.deepEqual(dispatches(await peer.heard()), [
      [1, 0, 1],
      [2, 0, 2],
    ]);
    assert.deepEqual(outbox.writes[1].change.dispatches.map(({ seq }) => seq), [3]);
    outbox.writes[1].resolve();
    assert.deepEqual(dispatches(await peer.heard()), [[3, 0, 3]]);
  });

  test("writes a base again that has changed meanwhile", async () => {
    const outbox = slowOutbox();
    const peer = new TestPeer({ outbox });
    peer.connection.dispatch(vote(1));
    await settle();
    assert.equal(outbox.writes[0].change.dispatches[0].base, 0);
    await peer.welcome({ v: 5 });
    outbox.writes[0].resolve();
    assert.deepEqual(dispatches(await peer.heard()), []);
    assert.equal(outbox.writes[1].change.dispatches[0].base, 5);
    outbox.writes[1].resolve();
    assert.deepEqual(dispatches(await peer.heard()), [[1, 5, 1]]);
  });

  test("keeps the base of what another tab made, which was sent in this history", () => {
    const outbox = new Outbox();
    outbox.open({ client: "c", settled: 0, dispatches: [], opening: 1 });
    const welcome = { epoch: "e", lastSeq: 0, limits: outbox.limits };
    outbox.welcomed({ ...welcome, v: 5 });
    const action = JSON.stringify(vote(1));
    outbox.takeFrom({ seq: 1, base: 0, epoch: "", action, tab: "b", n: 1 });
    outbox.noteWritten(outbox.unwritten);
    assert.equal(JSON.parse(outbox.next).base, 0);
    outbox.sent();
    outbox.greet();
    outbox.welcomed({ ...welcome, v: 9 });
    assert.equal(JSON.parse(outbox.next).base, 0);
  });

  test("is written what was dispatched right before the connection is closed", async () => {
    const outbox = slowOutbox();
    const peer = new TestPeer({ outbox });
    await peer.welcome();
    peer.connection.dispatch(vote(1));
    peer.connection.close();
    await settle();
    assert.deepEqual(outbox.writes.map(({ change }) => change.dispatches.length), [1]);
  });

  test("tries again after a failure", async () => {
    const outbox = slowOutbox();
    const peer = new TestPeer({ outbox });
    await peer.welcome();
    peer.connection.dispatch(vote(1));
    await settle();
    outbox.writes[0].reject(new Error("disk full"));
    await settle();
    assert.match(peer.connection.outboxProblem.detail, /disk full/);
    await peer.platform.advance(5000);
    outbox.writes[1].resolve();
    assert.deepEqual(dispatches(await peer.heard()), [[1, 0, 1]]);
  });

  test("keeps the numbers of what was dispatched before it was open", async () => {
    const left = [{ seq: 8, base: 3, epoch: "e", action: JSON.stringify(vote(8)) }];
    const contents = { client: "c".repeat(32), settled: 7, dispatches: left };
    const peer = new TestPeer({ outbox: { open: slowOutbox(contents).open } });
    peer.connection.dispatch(vote(9));
    assert.equal(peer.connection.pendingCount, 1);
    await settle();
    assert.equal(peer.connection.pendingCount, 2);
    const [hello] = await peer.open();
    assert.deepEqual([hello.client, hello.settled], ["c".repeat(32), 7]);
  });

  test("says how many dispatches it hasn't got, also before it is open", async () => {
    const outbox = slowOutbox();
    const peer = new TestPeer({ outbox });
    const heard = [];
    peer.connection.subscribe(() => heard.push(peer.connection.unstoredCount));
    peer.connection.dispatch(vote(1));
    assert.equal(peer.connection.unstoredCount, 1, "it isn't open");
    await settle();
    peer.connection.dispatch(vote(2));
    assert.equal(peer.connection.unstoredCount, 2, "it is being written");
    outbox.writes[0].reject(new Error("disk full"));
    await settle();
    assert.equal(peer.connection.unstoredCount, 2);
    await peer.platform.advance(5000);
    outbox.writes[1].resolve();
    await settle();
    await peer.platform.advance(20);
    assert.equal(peer.connection.unstoredCount, 0);
    assert.equal(peer.connection.pendingCount, 2);
    assert.deepEqual([heard[0], heard.at(-1)], [1, 0], "without a server");
  });

  test("says of none that there is nowhere to store, and that it is in memory", async () => {
    const memory = new TestPeer();
    memory.connection.dispatch(vote(1));
    assert.equal(memory.connection.unstoredCount, 0);
    const closed = { open: async () => assert.fail("there is no disk") };
    const peer = new TestPeer({ outbox: closed });
    peer.connection.dispatch(vote(1));
    assert.equal(peer.connection.unstoredCount, 1);
    await settle();
    assert.equal(peer.connection.outboxProblem.code, "outbox-unreadable");
    assert.equal(peer.connection.unstoredCount, 0);
  });

  test("that is opened too late is closed again", async () => {
    let isClosed = false;
    let opened;
    const open = () => new Promise((resolve) => (opened = resolve));
    const peer = new TestPeer({ outbox: { open } });
    peer.connection.close();
    opened({ contents: {}, write: () => {}, close: () => (isClosed = true) });
    await settle();
    assert(isClosed);
    assert.equal(peer.sockets.length, 0);
  });
});
