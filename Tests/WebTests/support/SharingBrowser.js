import { indexedDBOutbox } from "../../../Clients/Web/storecast/index.js";
import { FakeChannels, FakeDatabase, FakeLocks } from "./FakeStorage.js";
import { ManualPlatform, settle } from "./ManualPlatform.js";
import { TestPeer } from "./TestPeer.js";

/** What happens to a page, one thing after the other; nothing while it is frozen. */
class PageContext {
  isFrozen = false;
  isGone = false;
  /** What is to be done there. */
  tasks = [];
  sleep = () => {};
  wake = () => {};

  later = (work) => {
    if (!this.isGone) this.tasks.push(work);
  };

  /** Does the next thing; false if there is none. */
  run() {
    const work = this.isFrozen || this.isGone ? undefined : this.tasks.shift();
    work?.();
    return work !== undefined;
  }

  /** Messages that a frozen page doesn't get. */
  forget() {
    this.tasks = [];
  }
}

/** A browser whose tabs share a connection: its storage, locks and channels, and the pages. */
export class SharingBrowser {
  database = new FakeDatabase();
  locks = new FakeLocks();
  channels = new FakeChannels();
  contexts = new Set();
  #clients = 0;

  /** A tab. */
  open({ random, ...options } = {}) {
    const context = new PageContext();
    const platform = new ManualPlatform({ random });
    platform.newClient = () => String((this.#clients += 1)).padStart(32, "0");
    platform.locks = this.locks.of(context.later);
    platform.openChannel = this.channels.of(context.later);
    platform.watchSleep = (sleep, wake) => {
      Object.assign(context, { sleep, wake });
      return () => {};
    };
    context.platform = platform;
    this.contexts.add(context);
    const indexedDB = this.database.of(() => context.isGone);
    const outbox = indexedDBOutbox("texts", { indexedDB, locks: platform.locks });
    const peer = new TestPeer({ platform, outbox, tabs: true, ...options });
    return { peer, context };
  }

  /** The process of a tab ends; others don't hear of so many of its last messages to them. */
  crash(context, lost = () => 0) {
    for (const other of this.contexts) {
      const messages = other.tasks.filter(({ source }) => source === context.later);
      const last = messages.slice(messages.length - lost(messages.length));
      other.tasks = other.tasks.filter((task) => !last.includes(task));
    }
    context.isGone = true;
    context.tasks = [];
    this.contexts.delete(context);
    this.channels.drop(context.later);
    this.locks.drop(context.later);
  }

  /** All that can happen now happens. */
  async settle() {
    do await settle();
    while ([...this.contexts].filter((context) => context.run()).length > 0);
  }

  /** Lets time pass in all tabs that aren't frozen. */
  async advance(milliseconds) {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      for (const { platform, isFrozen } of this.contexts) {
        if (!isFrozen) await platform.advance(500);
      }
      await this.settle();
    }
  }
}
