import assert from "node:assert/strict";
import { register } from "node:module";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { TestPeer } from "./support/TestPeer.js";

register("./support/frameworks/resolve.js", import.meta.url);
const { Votes } = await import("../../Clients/Web/examples/react.js");
const { mount } = await import("react");
const { useStore } = await import("../../Clients/Web/examples/vue.js");
const { effectScope } = await import("vue");
const { readable } = await import("../../Clients/Web/examples/svelte.js");

const subscribed = { op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 };
const snapshot = { op: "snapshot", sub: 5, v: 0, value: { tea: 2 } };
const ops = [{ op: "replace", path: "/tea", value: 3 }];
const patch = { op: "patch", sub: 5, from: 0, v: 1, ops };

const noCompiler = !hasCompiler() && "needs tsc: apt-get install node-typescript";

function hasCompiler() {
  try {
    return execFileSync("tsc", ["--version"], { encoding: "utf8" });
  } catch {
    return undefined;
  }
}

async function live() {
  const peer = new TestPeer();
  const store = peer.connection.select("value", { path: "/votes" });
  await peer.welcome();
  await peer.say(subscribed, snapshot);
  return { peer, store };
}

describe("stores fit", () => {
  test("React", async () => {
    const peer = new TestPeer();
    const root = mount(Votes, { connection: peer.connection });
    assert.deepEqual(root.element.children, ["connecting"]);
    await peer.welcome();
    assert.deepEqual(root.element.children, ["live"]);
    await peer.say(subscribed, snapshot);
    assert.deepEqual(root.element.children, ["Tea: 2"]);
    root.element.props.onClick();
    assert.equal((await peer.heard())[0].action.type, "increment");
    await peer.say({ op: "transaction", v: 1, count: 1, acked: 1 }, patch);
    assert.deepEqual(root.element.children, ["Tea: 3"]);
    assert.equal(root.renders, 4, "only when something has changed");
    assert.equal(root.subscriptions, 2, "each store once");
    root.unmount();
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
  });

  test("React, as Docs/Web.md shows it", { skip: noCompiler }, async () => {
    const page = readFileSync(new URL("../../Docs/Web.md", import.meta.url), "utf8");
    const [, shown] = /^```jsx\n(.*?)^```/ms.exec(page);
    const folder = mkdtempSync(join(tmpdir(), "storecast-react-"));
    const needed = 'import { createElement } from "react";';
    writeFileSync(join(folder, "tea.jsx"), `${needed}\n${shown}\nexport { Tea };`);
    const options = ["--allowJs", "--jsx", "react", "--jsxFactory", "createElement"];
    const made = ["--target", "ES2022", "--module", "ES2022", "--outDir", join(folder, "made")];
    execFileSync("tsc", [...options, ...made, join(folder, "tea.jsx")]);
    writeFileSync(join(folder, "made/package.json"), '{"type":"module"}');
    const { Tea } = await import(pathToFileURL(join(folder, "made/tea.js")));
    rmSync(folder, { recursive: true });
    const peer = new TestPeer();
    const root = mount(Tea, { connection: peer.connection });
    await peer.welcome();
    await peer.say(subscribed, snapshot);
    assert.deepEqual(root.element.children.join(""), "Tea: 2");
    root.element.props.onClick();
    assert.equal((await peer.heard())[0].action.type, "increment");
    root.unmount();
  });

  test("Vue", async () => {
    const { peer, store } = await live();
    const scope = effectScope(() => useStore(store));
    assert.equal(scope.result.value.tea, 2);
    await peer.say(patch);
    assert.equal(scope.result.value.tea, 3);
    assert.equal(scope.result.changes, 1);
    scope.stop();
    await peer.platform.advance(5000);
    assert.deepEqual(await peer.heard(), [{ op: "unsubscribe", ref: 1 }]);
  });

  test("Svelte", async () => {
    const { peer, store } = await live();
    const seen = [];
    const end = readable(store.select((votes) => votes.tea)).subscribe((tea) => seen.push(tea));
    assert.deepEqual(seen, [2], "the first at once");
    await peer.say(patch);
    assert.deepEqual(seen, [2, 3]);
    end();
    await peer.say({ ...patch, from: 1, v: 2, ops: [{ ...ops[0], value: 4 }] });
    assert.deepEqual(seen, [2, 3]);
  });
});
