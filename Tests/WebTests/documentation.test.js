import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import * as storecast from "../../Clients/Web/storecast/index.js";
import { missing, Server, WebSocket } from "./support/Server.js";

const page = readFileSync(new URL("../../Docs/Web.md", import.meta.url), "utf8");

/** The pieces of a language, as programs that have the module as `storecast`. */
function pieces(language) {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))];
  return found.map(([, text]) =>
    text.replace(/import (\{.*?\}) from "\.\/storecast\/index\.js";/g, "const $1 = storecast;"),
  );
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

describe("Docs/Web.md", { skip: missing }, () => {
  test("shows programs that work, one after the other", async () => {
    const server = await Server.start({ document: { votes: { coffee: 3, tea: 2 }, log: [] } });
    const lines = [];
    const program = pieces("js").join("\n");
    const end = "return { connection, votes, eager, tally, options };";
    const run = new AsyncFunction("storecast", "console", `${program}\n${end}`);
    const connect = () => storecast.connect(server.url, { WebSocket, notify: "microtask" });
    const console = { log: (...words) => lines.push(words.join(" ")) };
    const shown = await run({ ...storecast, connect }, console);
    const { connection, votes, eager, tally, options } = shown;
    assert.deepEqual(votes.getState(), { coffee: 3, tea: 3 });
    assert(lines.includes("reduced as of version 1"), lines);
    assert(lines.includes("tea 3"), lines);
    assert(lines.includes("live  1 changes not saved yet"), lines);
    eager.dispatch({ type: "increment", payload: { path: "/votes/tea", by: 1 } });
    assert.equal(eager.getState().tea, 4);
    assert(lines.includes("coffee,tea"), lines);
    await connection.dispatch({ type: "set", payload: { path: "/votes/milk", value: 1 } });
    assert.equal(tally.row("milk").getState(), 1);
    assert(lines.includes("milk 1") && lines.some((line) => /^changed.*milk/.test(line)), lines);
    assert.equal(typeof options.outbox.open, "function");
    connection.close();
    await server.stop();
  });

  test("shows a page that works", async () => {
    const server = await Server.start({ document: { votes: { coffee: 3, tea: 2 }, log: [] } });
    assert(pieces("html")[0].includes('<meta charset="utf-8">'), "its … would be unreadable");
    const [, script] = /<script type="module">\n(.*?)<\/script>/s.exec(pieces("html")[0]);
    const elements = { tea: {}, status: {} };
    const document = { getElementById: (id) => elements[id] };
    const run = new AsyncFunction("storecast", "document", `${script}\nreturn connection;`);
    const connect = () => storecast.connect(server.url, { WebSocket });
    const connection = await run({ connect }, document);
    while (elements.tea.textContent !== "Tea: 2") await new Promise(setImmediate);
    assert.equal(elements.status.textContent, "live");
    await elements.tea.onclick();
    while (elements.tea.textContent !== "Tea: 3") await new Promise(setImmediate);
    connection.close();
    await server.stop();
  });

  test("names every option, and nothing that there isn't", () => {
    const source = new URL("../../Clients/Web/storecast/connection/Connection.js", import.meta.url);
    const options = [...readFileSync(source, "utf8").matchAll(/@property .*? \[(\w+)\]/g)];
    const documented = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const ofConnections = options.map(([, name]) => name).filter((name) => name !== "platform");
    for (const name of ofConnections) assert(documented.includes(name), name);
    const known = [...ofConnections, "problem", "position", "isLive"];
    for (const name of documented) assert(known.includes(name), name);
  });
});
