import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { connect } from "../../Clients/Web/storecast/index.js";
import { ManualPlatform } from "./support/ManualPlatform.js";
import { TestPeer } from "./support/TestPeer.js";

const bye = (members) => ({ op: "bye", title: "Bye.", after: 0, jitter: 0, ...members });

describe("a client's identity", () => {
  const ada = { id: "ada", roles: ["editor"] };

  test("is known from the first welcome on, also while there is no connection", async () => {
    const peer = new TestPeer();
    let told = 0;
    peer.connection.subscribe(() => (told += 1));
    assert.equal(peer.connection.identity, undefined);
    await peer.welcome({ identity: ada });
    assert.deepEqual(peer.connection.identity, ada);
    assert.ok(told > 0);
    await peer.end();
    assert.deepEqual(peer.connection.identity, ada);
  });

  test("is the same object as long as the server says the same", async () => {
    const peer = new TestPeer();
    await peer.welcome({ identity: ada });
    const { identity } = peer.connection;
    await peer.end();
    peer.connection.reconnect();
    await peer.welcome({ identity: { ...ada } });
    assert.equal(peer.connection.identity, identity);
  });

  test("isn't known if the server doesn't say it", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    assert.equal(peer.connection.identity, undefined);
  });
});

describe("a connection", () => {
  test("says how it is doing", async () => {
    const peer = new TestPeer();
    const statuses = [];
    peer.connection.subscribe(() => statuses.push(peer.connection.status.state));
    assert.deepEqual(peer.connection.status, { state: "connecting" });
    await peer.welcome();
    await peer.platform.advance(1000);
    await peer.end(1006);
    const offline = {
      state: "offline",
      since: 1_001_000,
      retryAt: 1_001_188,
      because: "The connection was lost.",
    };
    assert.deepEqual(peer.connection.status, offline);
    await peer.platform.advance(188);
    assert.deepEqual(peer.connection.status, { state: "connecting" });
    await peer.end(1006, "Still not there.");
    assert.equal(peer.connection.status.since, 1_001_000, "it has been away since then");
    assert.equal(peer.connection.status.because, "Still not there.");
    assert.deepEqual(statuses, ["connecting", "live", "offline", "connecting", "offline"]);
  });

  test("waits twice as long after every failure, from a quarter to 30 seconds", async () => {
    const peer = new TestPeer();
    const waits = [];
    for (let failure = 0; failure < 10; failure += 1) {
      await peer.platform.advance(0);
      await peer.end();
      waits.push(peer.connection.status.retryAt - peer.platform.time());
      await peer.platform.advance(waits.at(-1));
    }
    // Chance says one half: three quarters of the most.
    const most = [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000];
    assert.deepEqual(waits, most.map((wait) => Math.ceil(wait * 0.75)));
  });

  test("waits a short time again after it was live for five seconds, and not before", async () => {
    const peer = new TestPeer();
    const waits = [];
    for (const live of [4.9, 4.9, 5, 1]) {
      await peer.welcome({ heartbeat: 3600 });
      await peer.platform.advance(live * 1000);
      await peer.end();
      waits.push(peer.connection.status.retryAt - peer.platform.time());
      await peer.platform.advance(waits.at(-1));
    }
    assert.deepEqual(waits, [188, 375, 188, 375]);
  });

  test("waits as long as bye asks for, and a random part more", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    await peer.say(bye({ code: "going-away", reconnect: true, after: 10, jitter: 4 }));
    await peer.end(1001);
    const { state, retryAt, because } = peer.connection.status;
    assert.deepEqual([state, because], ["offline", "Bye."]);
    assert.equal(retryAt - peer.platform.time(), 12_000);
    peer.platform.networkChanges();
    assert.equal(peer.sockets.length, 1, "the network has nothing to do with it");
    await peer.platform.advance(12_000);
    assert.equal(peer.sockets.length, 2);
    await peer.end(1006);
    const { status } = peer.connection;
    assert.equal(status.because, "The server can't be reached.", "that bye is over");
    assert(status.retryAt - peer.platform.time() < 1000);
    peer.platform.networkChanges();
    assert.equal(peer.sockets.length, 3);
  });

  for (const [about, frames, code, expected] of [
    ["bye that says so", [bye({ code: "replaced", reconnect: false })], 4104, "replaced"],
    ["a close code that says so", [], 4101, "unauthenticated"],
    ["a close code that nobody knows yet", [], 4177, "close-4177"],
  ]) {
    test(`stops at ${about}, until it is told to go on`, async () => {
      const peer = new TestPeer();
      const pending = peer.connection.dispatch({ type: "a" });
      await peer.welcome();
      await peer.say(...frames);
      await peer.end(code);
      assert.equal(peer.connection.status.state, "refused");
      assert.equal(peer.connection.status.code, expected);
      await peer.platform.advance(3_600_000);
      peer.platform.networkChanges();
      assert.equal(peer.sockets.length, 1);
      peer.connection.reconnect();
      assert.equal((await peer.welcome()).at(-1).op, "dispatch");
      await peer.say({ op: "transaction", v: 1, count: 0, acked: 1 });
      assert.equal((await pending).version, 1);
    });
  }

  test("stops when the server can't read its dispatches", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    peer.connection.dispatch({ type: "a" });
    await peer.heard();
    await peer.say({ op: "error", code: "invalid-frame", title: "No.", seq: 1 });
    assert.equal(peer.connection.status.code, "invalid-frame");
    assert.equal(peer.connection.pendingCount, 1);
  });

  test("connects at once when the network comes back", async () => {
    const peer = new TestPeer();
    for (let failure = 0; failure < 8; failure += 1) {
      await peer.platform.advance(0);
      await peer.cut();
    }
    await peer.end();
    const { length } = peer.sockets;
    peer.platform.networkChanges();
    await peer.platform.advance(0);
    assert.equal(peer.sockets.length, length + 1);
  });

  test("pings after a heartbeat of silence, and is lost after another", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 30 });
    await peer.platform.advance(20_000);
    await peer.say({ op: "pong", v: 1 });
    await peer.platform.advance(29_999);
    assert.deepEqual(await peer.heard(), []);
    await peer.platform.advance(1);
    assert.deepEqual(await peer.heard(), [{ op: "ping" }]);
    await peer.platform.advance(29_999);
    assert.equal(peer.connection.status.state, "live");
    await peer.platform.advance(1);
    assert.equal(peer.connection.status.because, "The server is silent.");
    assert.equal(peer.socket.isClosed, true);
  });

  test("an answer to the ping keeps it alive", async () => {
    const peer = new TestPeer();
    await peer.welcome({ heartbeat: 30 });
    for (let beat = 0; beat < 5; beat += 1) {
      await peer.platform.advance(30_000);
      assert.deepEqual(await peer.heard(), [{ op: "ping" }]);
      await peer.say({ op: "pong", v: beat });
    }
    assert.equal(peer.connection.status.state, "live");
  });

  test("finds out soon whether it outlived a change of the network", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    peer.platform.networkChanges();
    assert.deepEqual(await peer.heard(), [{ op: "ping" }]);
    await peer.say({ op: "pong", v: 0 });
    await peer.platform.advance(5000);
    assert.equal(peer.connection.status.state, "live");
    peer.platform.networkChanges();
    await peer.platform.advance(5000);
    assert.equal(peer.connection.status.state, "offline");
  });

  test("gives up on a server that doesn't say welcome", async () => {
    const peer = new TestPeer();
    await peer.open();
    await peer.platform.advance(20_000);
    assert.equal(peer.connection.status.because, "The server didn't answer in time.");
    assert.equal(peer.socket.isClosed, true);
  });

  test("asks for a token each time, and tries again if there is none", async () => {
    const tokens = ["one", new Error("not signed in"), "two"];
    const token = () => {
      const next = tokens.shift();
      if (next instanceof Error) throw next;
      return Promise.resolve(next);
    };
    const peer = new TestPeer({ token });
    assert.equal((await peer.open())[0].token, "one");
    await peer.end();
    await peer.platform.advance(188);
    assert.match(peer.connection.status.because, /not signed in/);
    await peer.platform.advance(375);
    assert.equal((await peer.open())[0].token, "two");
  });

  test("a token that comes when nobody waits for it any more opens nothing", async () => {
    for (const isClosed of [true, false]) {
      const answers = [];
      const token = () => new Promise((resolve) => answers.push(resolve));
      const peer = new TestPeer({ token });
      await peer.platform.advance(0);
      if (isClosed) peer.connection.close();
      else {
        await peer.platform.advance(20_000);
        await peer.platform.advance(375);
      }
      const state = isClosed ? "closed" : "connecting";
      assert.equal(peer.connection.status.state, state);
      assert.equal(answers.length, isClosed ? 1 : 2);
      answers[0]("late");
      await peer.platform.advance(0);
      assert.equal(peer.socket, undefined);
      assert.equal(peer.connection.status.state, state);
      if (isClosed) continue;
      answers[1]("new");
      assert.equal((await peer.open())[0].token, "new");
    }
  });

  test("shows the server a newer token", async () => {
    const peer = new TestPeer({ token: "one" });
    await peer.welcome();
    peer.connection.authenticate("two");
    assert.deepEqual(await peer.heard(), [{ op: "authenticate", token: "two" }]);
  });

  describe("is asked for a newer token", () => {
    const renewals = (peer) => peer.heard().then((frames) => frames.map(({ token }) => token));

    test("and shows it on the same connection", async () => {
      const tokens = ["one", "two", "three"];
      const peer = new TestPeer({ token: async () => tokens.shift() });
      assert.equal((await peer.welcome())[0].token, "one");
      const renew = { op: "renew", within: 60 };
      assert.deepEqual(await peer.say(renew), [{ op: "authenticate", token: "two" }]);
      assert.deepEqual(await peer.say(renew), [{ op: "authenticate", token: "three" }]);
      assert.equal(peer.sockets.length, 1);
    });

    test("and asks again, half as late each time, while it has the same or none", async () => {
      let count = 0;
      let next = () => "one";
      const peer = new TestPeer({ token: () => ((count += 1), next()) });
      await peer.welcome({ heartbeat: 3600 });
      await peer.say({ op: "renew", within: 60 });
      assert.equal(count, 2);
      await peer.platform.advance(29_999);
      assert.equal(count, 2);
      next = () => {
        throw new Error("offline");
      };
      await peer.platform.advance(1);
      assert.equal(count, 3);
      next = () => "two";
      await peer.platform.advance(15_000);
      assert.deepEqual(await renewals(peer), ["two"]);
      await peer.platform.advance(1_000_000);
      assert.equal(count, 4);
    });

    test("and isn't asked for ever, nor at once for a time that no timer holds", async () => {
      let count = 0;
      const peer = new TestPeer({ token: () => ((count += 1), "one") });
      await peer.welcome({ heartbeat: 3600 });
      await peer.say({ op: "renew", within: 1e12 });
      for (let hour = 0; hour < 12; hour += 1) {
        assert.equal(count, 2);
        await peer.platform.advance(3_600_000 - (hour === 11 ? 1 : 0));
        await peer.say({ op: "pong", v: 0 });
      }
      assert.equal(count, 2);
      await peer.say({ op: "renew", within: 60 });
      for (let second = 0; second < 100; second += 1) await peer.platform.advance(1000);
      assert.equal(count, 9);
    });

    test("and has none but the one that it was given", async () => {
      const peer = new TestPeer({ token: "one" });
      await peer.welcome({ heartbeat: 3600 });
      assert.deepEqual(await peer.say({ op: "renew", within: 60 }), []);
      await peer.platform.advance(100_000);
      assert.deepEqual(await peer.heard(), []);
    });

    test("and shows none that it was getting when the program showed another", async () => {
      const answers = [];
      const peer = new TestPeer({ token: () => new Promise((answer) => answers.push(answer)) });
      await peer.platform.advance(0);
      answers[0]("one");
      await peer.welcome({ heartbeat: 3600 });
      await peer.say({ op: "renew", within: 60 });
      peer.connection.authenticate("mine");
      answers[1]("late");
      assert.deepEqual(await renewals(peer), ["mine"]);
      await peer.platform.advance(3_000_000);
      assert.equal(answers.length, 2);
      // Not even if the server asks for another one before the late one is there.
      await peer.say({ op: "renew", within: 60 });
      peer.connection.authenticate("mine too");
      const shown = await peer.say({ op: "renew", within: 60 });
      assert.deepEqual(shown, [{ op: "authenticate", token: "mine too" }]);
      answers[2]("late, too");
      assert.deepEqual(await renewals(peer), []);
      await peer.platform.advance(30_000);
      answers[3]("newer");
      assert.deepEqual(await renewals(peer), ["newer"]);
    });

    test("and what comes after the connection was lost isn't shown on the next", async () => {
      const answers = [];
      const peer = new TestPeer({ token: () => new Promise((answer) => answers.push(answer)) });
      await peer.platform.advance(0);
      answers[0]("one");
      await peer.welcome();
      await peer.say({ op: "renew", within: 60 });
      await peer.end(4003);
      await peer.platform.advance(1000);
      answers[1]("late");
      answers[2]("two");
      assert.equal((await peer.welcome())[0].token, "two");
      assert.deepEqual(await peer.heard(), []);
    });
  });

  test("speaks only to servers that speak its protocol", async () => {
    const peer = new TestPeer();
    await peer.platform.advance(0);
    peer.socket.protocol = "";
    peer.socket.onopen({});
    assert.match(peer.connection.status.because, /storecast\.v1/);
    assert.deepEqual(peer.socket.sent, []);
  });

  test("hears nothing more of a socket that it has given up", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    const [old] = peer.sockets;
    await peer.say("not a frame");
    assert.equal(peer.connection.status.state, "offline");
    const { status } = peer.connection;
    old.onmessage({ data: "{}" });
    old.onclose({ code: 4101, reason: "" });
    assert.equal(peer.connection.status, status);
  });

  test("refuses binary messages", async () => {
    const peer = new TestPeer();
    await peer.welcome();
    peer.socket.onmessage({ data: new ArrayBuffer(1) });
    assert.equal(peer.connection.status.state, "refused");
    assert.equal(peer.connection.status.code, "binary-message");
  });

  test("needs a URL and a WebSocket", () => {
    for (const url of ["nowhere", "ftp://host/", "127.0.0.1:9090", "my-host:9090/rooms/a"]) {
      const message = `'${url}' is no URL that begins with ws:// or wss://.`;
      assert.throws(() => connect(url, { WebSocket: class {} }), { name: "TypeError", message });
    }
    const hasOwn = "WebSocket" in globalThis;
    if (!hasOwn) assert.throws(() => connect("ws://host/"), TypeError);
  });

  test("says whether it was lost or never there", async () => {
    const peer = new TestPeer();
    await peer.platform.advance(0);
    await peer.end();
    assert.equal(peer.connection.status.because, "The server can't be reached.");
    peer.connection.reconnect();
    await peer.open();
    await peer.end();
    assert.equal(peer.connection.status.because, "The connection was lost.");
  });

  test("takes the page's own schemes for those of sockets", async () => {
    const { WebSocket, sockets } = await import("./support/FakeSocket.js").then((module) =>
      module.fakeWebSocket(),
    );
    const platform = new ManualPlatform();
    const open = (url) => connect(url, { WebSocket, platform });
    const connections = ["https://host/rooms/a#part", "http://host"].map(open);
    await platform.advance(0);
    assert.deepEqual(sockets.map(({ url }) => url), ["wss://host/rooms/a", "ws://host/"]);
    for (const connection of connections) connection.close();
  });
});
