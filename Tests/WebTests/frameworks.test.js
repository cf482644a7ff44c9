import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "./support/testing.js";
import { pathToFileURL } from "node:url";
import * as svelte from "../../Clients/Web/storecast/svelte.js";
import { noReact, noVue } from "./support/frameworks/installed.js";
import { vote, votes } from "./support/frameworks/room.js";

register("./support/frameworks/resolve.js", import.meta.url);
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const React = noReact ? undefined : await import("react");
const renderer = noReact ? undefined : (await import("react-test-renderer")).default;
const hooks = noReact ? undefined : await import("../../Clients/Web/storecast/react.js");
const Vue = noVue ? undefined : await import("vue");
const composables = noVue ? undefined : await import("../../Clients/Web/storecast/vue.js");

let room;
let connection;
beforeEach(() => {
  room = votes();
  connection = room.connect();
});
afterEach(() => room.close());

describe("storecast/react, with React itself", { skip: noReact }, () => {
  const { createElement: h, StrictMode, Suspense } = React ?? {};
  let root;
  let renders;
  beforeEach(() => (renders = 0));
  afterEach(() => renderer.act(() => root?.unmount()));

  /** Shows what a component makes, in a provider. */
  function show(component, { around = [], Provider = hooks.Provider } = {}) {
    const Counted = (props) => {
      renders += 1;
      return component(props);
    };
    const inside = around.reduce((inner, [outer, props]) => h(outer, props, inner), h(Counted));
    renderer.act(() => {
      root = renderer.create(h(Provider, { connection }, inside));
    });
  }
  const shown = () => JSON.stringify(root.toJSON());
  const settled = () => renderer.act(() => room.settled());

  test("shows a selection as it changes, and renders no more than that", async () => {
    show(() => String(hooks.useSelection("all", undefined, { select: ({ tea }) => tea })));
    assert.equal(shown(), '"undefined"');
    await settled();
    assert.equal(shown(), '"2"');
    const before = renders;
    await renderer.act(async () => room.dispatch(vote("coffee")));
    await settled();
    assert.equal(renders, before, "that isn't in what is selected");
    await renderer.act(async () => room.dispatch(vote("tea")));
    await settled();
    assert.equal(shown(), '"3"');
    assert.equal(renders, before + 1);
  });

  test("shows what is dispatched before the room answers, and how much is pending", async () => {
    const optimistic = (tea, { payload }) => (payload === "tea" ? tea + 1 : tea);
    show(() => {
      const tea = hooks.useSelection("of", { drink: "tea" }, { optimistic });
      return `${tea} ${hooks.usePending()} ${hooks.useStatus().state}`;
    });
    await settled();
    assert.equal(shown(), '"2 0 live"');
    room.offline();
    await renderer.act(async () => void connection.dispatch(vote("tea")));
    await settled();
    assert.equal(shown(), '"3 1 offline"');
    room.online();
    await settled();
    assert.equal(shown(), '"3 0 live"');
  });

  test("follows another selection when its parameters are others, and only then", async () => {
    let setDrink;
    show(() => {
      const [drink, set] = React.useState("tea");
      setDrink = set;
      return String(hooks.useSelection("of", { drink }));
    });
    await settled();
    assert.equal(shown(), '"2"');
    await renderer.act(async () => setDrink("coffee"));
    await settled();
    assert.equal(shown(), '"0"');
    await renderer.act(async () => room.dispatch(vote("coffee")));
    await settled();
    assert.equal(shown(), '"1"');
  });

  test("shows another room when its provider has another connection", async () => {
    const other = votes();
    other.dispatch(vote("tea"));
    const Tea = () => String(hooks.useSelection("of", { drink: "tea" }));
    const within = (connection) => h(hooks.Provider, { connection }, h(Tea));
    renderer.act(() => {
      root = renderer.create(within(connection));
    });
    await settled();
    assert.equal(shown(), '"2"');
    renderer.act(() => root.update(within(other.connect())));
    await renderer.act(() => other.settled());
    assert.equal(shown(), '"3"');
    other.close();
  });

  test("suspends a component until there is a state, also in strict mode", async () => {
    const Fallback = [Suspense, { fallback: "Loading…" }];
    const component = () => `Tea: ${hooks.useSelection("all", undefined, { suspense: true }).tea}`;
    show(component, { around: [Fallback, [StrictMode]] });
    assert.equal(shown(), '"Loading…"');
    await settled();
    assert.equal(shown(), '"Tea: 2"');
    await renderer.act(async () => room.dispatch(vote("tea")));
    await settled();
    assert.equal(shown(), '"Tea: 3"');
  });

  test("throws to an error boundary what the server doesn't give, where it suspends", async () => {
    class Boundary extends React.Component {
      state = {};
      static getDerivedStateFromError = (error) => ({ error });
      render = () => this.state.error?.code ?? this.props.children;
    }
    const { error } = console;
    console.error = () => {};
    const around = [[Suspense, { fallback: "Loading…" }], [Boundary]];
    show(() => hooks.useSelection("none", undefined, { suspense: true }), { around });
    await settled();
    console.error = error;
    assert.equal(shown(), '"unknown-selection"');
  });

  test("says why the server doesn't give a selection", async () => {
    show(() => hooks.useProblem("none")?.code ?? "none yet");
    assert.equal(shown(), '"none yet"');
    await settled();
    assert.equal(shown(), '"unknown-selection"');
  });

  test("says what is missing around a component", async () => {
    const { error } = console;
    console.error = () => {};
    const bare = () => renderer.create(h(() => hooks.usePending()));
    assert.throws(() => renderer.act(() => void bare()), /needs a <Provider>/);
    console.error = error;
  });

  test("has hooks for several rooms in one page", async () => {
    const other = votes();
    other.state = { tea: 40 };
    const two = other.connect();
    const kinds = [hooks.createHooks(), hooks.createHooks()];
    const Both = () => kinds.map((kind) => kind.useSelection("all")?.tea).join(" and ");
    const Inner = kinds[1].Provider;
    show(() => h(Inner, { connection: two }, h(Both)), { Provider: kinds[0].Provider });
    await settled();
    await renderer.act(() => other.settled());
    assert.equal(shown(), '"2 and 40"');
    other.close();
  });

  test("is rendered on a server without a state, where it doesn't wait for one", async () => {
    const { default: server } = await import("react-dom/server.js");
    const { Provider, useSelection } = hooks.createHooks();
    const Component = () => h("p", null, `${useSelection("all")?.tea ?? "…"}`);
    const html = () => server.renderToString(h(Provider, { connection }, h(Component)));
    assert.equal(html(), "<p>…</p>");
    await room.settled();
    assert.equal(html(), "<p>2</p>", "the store is followed for a while");
  });

  test("as Docs/Web.md shows it", { skip: noBundler() }, async () => {
    const { Tea } = await documented("jsx");
    show(Tea);
    await settled();
    const button = root.root.findByType("button");
    room.pause();
    assert.equal(button.children.join(""), "Tea: 2");
    await renderer.act(async () => void button.props.onClick());
    assert.equal(connection.pendingCount, 1);
  });
});

describe("storecast/vue, with Vue itself", { skip: noVue }, () => {
  let app;
  let scope;
  beforeEach(() => {
    app = Vue.createApp({});
    app.use(composables, connection);
    scope = Vue.effectScope();
  });
  afterEach(() => scope.stop());
  const setup = (work) => app.runWithContext(() => scope.run(work));

  test("is that of Vue 3", () => assert.match(Vue.version, /^3\./));

  test("has a selection's state as it changes", async () => {
    const state = setup(() => composables.useSelection("all"));
    assert.equal(state.value, undefined);
    await room.settled();
    assert.equal(state.value.tea, 2);
    room.dispatch(vote("tea"));
    await room.settled();
    assert.equal(state.value.tea, 3);
  });

  test("has a part of it, and tells who watches when that changes", async () => {
    const tea = setup(() => composables.useSelection("all", undefined, { select: (s) => s.tea }));
    const seen = [];
    scope.run(() => Vue.watch(tea, (now) => seen.push(now), { flush: "sync" }));
    await room.settled();
    room.dispatch(vote("coffee"));
    room.dispatch(vote("tea"));
    await room.settled();
    assert.deepEqual(seen, [2, 3]);
  });

  test("follows another selection when its parameters change, not the old one", async () => {
    const drink = Vue.ref("tea");
    const count = setup(() => composables.useSelection("of", () => ({ drink: drink.value })));
    await room.settled();
    assert.equal(count.value, 2);
    drink.value = "coffee";
    assert.equal(count.value, undefined, "not what is another selection's");
    await room.settled();
    assert.equal(count.value, 0);
    room.dispatch(vote("coffee"));
    await room.settled();
    assert.equal(count.value, 1);
    room.dispatch(vote("tea"));
    await room.settled();
    assert.equal(count.value, 1, "the old one may have told it last");
  });

  test("has the connection's status, and what is pending", async () => {
    const optimistic = (tea) => tea + 1;
    const [state, count, tea] = setup(() => [
      composables.useStatus(),
      composables.usePending(),
      composables.useSelection("of", { drink: "tea" }, { optimistic }),
    ]);
    await room.settled();
    assert.deepEqual([state.value.state, count.value, tea.value], ["live", 0, 2]);
    room.offline();
    setup(() => composables.useConnection()).dispatch(vote("tea"));
    await room.settled();
    assert.deepEqual([state.value.state, count.value, tea.value], ["offline", 1, 3]);
  });

  test("says why the server doesn't give a selection", async () => {
    const why = setup(() => composables.useProblem("none"));
    assert.equal(why.value, undefined);
    await room.settled();
    assert.equal(why.value.code, "unknown-selection");
  });

  test("listens no more when its scope ends", async () => {
    const drink = Vue.ref("tea");
    const [state, count] = setup(() => [
      composables.useSelection("all"),
      composables.useSelection("of", () => ({ drink: drink.value })),
    ]);
    await room.settled();
    drink.value = "coffee";
    await room.settled();
    scope.stop();
    room.dispatch(vote("tea"));
    room.dispatch(vote("coffee"));
    await room.settled();
    assert.deepEqual([state.value.tea, count.value], [2, 0]);
  });

  test("says what is missing", () => {
    const bare = Vue.createApp({});
    const { warn } = console;
    console.warn = () => {};
    assert.throws(() => bare.runWithContext(() => composables.usePending()), /app\.use/);
    console.warn = warn;
  });
});

const { pending, problem, readable, selection, status } = svelte;

// There is no Svelte here: this is what its documentation demands of a store.
describe("storecast/svelte", () => {
  test("calls with the state at once, and after changes, until that is ended", async () => {
    const seen = [];
    const end = selection(connection, "all").subscribe((state) => seen.push(state?.tea));
    assert.deepEqual(seen, [undefined]);
    await room.settled();
    room.dispatch(vote("tea"));
    await room.settled();
    assert.deepEqual(seen, [undefined, 2, 3]);
    end();
    room.dispatch(vote("tea"));
    await room.settled();
    assert.equal(seen.length, 3);
  });

  test("has a selection with parameters, and shows at once what is dispatched", async () => {
    const seen = [];
    const optimistic = (tea) => tea + 1;
    const tea = selection(connection, "of", { drink: "tea" }, { optimistic });
    tea.subscribe((now) => seen.push(now));
    await room.settled();
    room.offline();
    connection.dispatch(vote("tea"));
    await room.settled();
    assert.deepEqual(seen, [undefined, 2, 3]);
  });

  test("has parts of states, the status, what is pending and problems", async () => {
    const seen = { tea: [], status: [], pending: [], problem: [] };
    connection = room.connect();
    const tea = connection.select("all").select((state) => state.tea);
    readable(tea).subscribe((now) => seen.tea.push(now));
    status(connection).subscribe(({ state }) => seen.status.push(state));
    pending(connection).subscribe((count) => seen.pending.push(count));
    problem(connection, "none").subscribe((now) => seen.problem.push(now?.code));
    await room.settled();
    connection.dispatch(vote("tea"));
    await room.settled();
    assert.deepEqual(seen.tea, [undefined, 2, 3]);
    assert.deepEqual([seen.status.at(0), seen.status.at(-1)], ["connecting", "live"]);
    assert.equal(Math.max(...seen.pending), 1);
    assert.deepEqual(seen.problem, [undefined, "unknown-selection"]);
  });
});

function noBundler() {
  return !existsSync("/usr/bin/esbuild") && "needs esbuild: apt-get install esbuild";
}

/** The `Tea` of the first block of a language in Docs/Web.md. */
async function documented(language) {
  const page = readFileSync(new URL("../../Docs/Web.md", import.meta.url), "utf8");
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(page);
  const options = ["--loader=jsx", "--jsx-factory=createElement", "--format=esm"];
  const input = `import { createElement } from "react";\n${text}\nexport { Tea };`;
  const made = execFileSync("esbuild", options, { input, encoding: "utf8" });
  const entry = new URL("../../Clients/Web/storecast/react.js", import.meta.url).href;
  const folder = mkdtempSync(join(tmpdir(), "storecast-documented-"));
  const file = join(folder, "shown.mjs");
  writeFileSync(file, made.replace('"storecast/react"', `"${entry}"`));
  const module = await import(pathToFileURL(file));
  rmSync(folder, { recursive: true });
  return module;
}
