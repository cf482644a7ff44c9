import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { TestPeer } from "./support/TestPeer.js";

/** A server of numbers from 0 to 9, three a page, and a connection that shows a page. */
async function live() {
  const peer = new TestPeer();
  let numbers = Array.from({ length: 10 }, (_, n) => n);
  const pages = peer.connection.pages("page", (place) => ({ limit: 3, ...place }));
  const page = ({ limit, after, before }) => {
    const fits = (n) => (after ? n > after[0] : before ? n < before[0] : true);
    const found = numbers.filter(fits);
    const rows = before ? found.slice(-limit) : found.slice(0, limit);
    const ends = rows.length > 0 ? { start: [rows[0]], end: [rows.at(-1)] } : {};
    const hasBefore = rows.length > 0 ? numbers[0] < rows[0] : numbers.some((n) => n <= after?.[0]);
    const last = numbers.at(-1);
    const hasAfter = rows.length > 0 ? rows.at(-1) < last : numbers.some((n) => n >= before?.[0]);
    return { rows, ...ends, hasBefore, hasAfter };
  };
  const asked = [];
  const subs = new Map();
  const take = (frames) => {
    for (const frame of frames) if (frame.op === "subscribe") asked.push(frame);
  };
  /** The server answers what it was asked. */
  const answer = async () => {
    take(await peer.heard());
    while (asked.length > 0) {
      const { ref, params } = asked.shift();
      subs.set(ref, params);
      const subscribed = { op: "subscribed", ref, sub: ref, tag: "t", bytes: 1 };
      take(await peer.say(subscribed, { op: "snapshot", sub: ref, v: 0, value: page(params) }));
    }
  };
  const replace = async (sub, v, now) => {
    numbers = now;
    const ops = [{ op: "replace", path: "", value: page(subs.get(sub)) }];
    take(await peer.say({ op: "patch", sub, from: v - 1, v, ops }));
  };
  take(await peer.welcome());
  return { peer, pages, answer, replace, asked, take };
}

const rows = (pages) => pages.getState()?.rows;

describe("pages", () => {
  test("are turned, and each shown until the next is there", async () => {
    const { pages, answer } = await live();
    const heard = [];
    pages.subscribe(() => heard.push([pages.isTurning, rows(pages)?.join()]));
    assert.equal(pages.getState(), undefined);
    await answer();
    assert.deepEqual(heard.splice(0), [[false, "0,1,2"]]);
    pages.next();
    assert.deepEqual(heard.splice(0), [[true, "0,1,2"]]);
    await answer();
    assert.deepEqual(heard.splice(0), [[false, "3,4,5"]]);
    pages.next();
    await answer();
    pages.next();
    await answer();
    assert.deepEqual(rows(pages), [9]);
    pages.next();
    assert.equal(pages.isTurning, false, "there is no next one");
    pages.previous();
    await answer();
    assert.deepEqual(rows(pages), [6, 7, 8]);
  });

  test("before the second are the first, which begins at the top", async () => {
    const { pages, answer, replace, asked, take, peer } = await live();
    await answer();
    pages.next();
    await answer();
    await replace(2, 1, [2, 3, 4, 5, 6]);
    await peer.platform.advance(5000);
    pages.previous();
    take(await peer.heard());
    assert.deepEqual(asked[0].params, { limit: 3, before: [3] });
    await answer();
    await answer();
    assert.equal(pages.isTurning, false);
    assert.deepEqual(rows(pages), [2, 3, 4]);
  });

  test("that became empty lead back to where they were turned to from", async () => {
    const { pages, answer, replace } = await live();
    await answer();
    pages.next();
    await answer();
    pages.next();
    await answer();
    await replace(3, 1, [0, 1, 2, 3]);
    assert.deepEqual(rows(pages), []);
    pages.previous();
    assert.deepEqual(rows(pages), [3, 4, 5], "still known");
  });

  test("that the server refuses leave the one shown as it is", async () => {
    const { pages, answer, peer } = await live();
    await answer();
    pages.next();
    await peer.heard();
    await peer.say({ op: "error", code: "forbidden", title: "No.", ref: 2 });
    assert.equal(pages.problem.code, "forbidden");
    assert.equal(pages.isTurning, false);
    assert.deepEqual(rows(pages), [0, 1, 2]);
    pages.first();
    assert.equal(pages.problem, undefined);
  });

  test("go on being live while another is asked for, and are then followed no longer", async () => {
    const { pages, answer, replace, peer } = await live();
    await answer();
    const end = pages.subscribe(() => {});
    pages.next();
    await replace(1, 1, [0, 2, 3, 4, 5]);
    assert.deepEqual(rows(pages), [0, 2, 3]);
    await answer();
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
    end();
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 2 }]);
  });
});
