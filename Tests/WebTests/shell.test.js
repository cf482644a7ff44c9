import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "./support/testing.js";
import { blocks, Clone, missing } from "./support/Clone.js";
import { command } from "./support/Server.js";

/** The pages and articles, in the order in which they are walked: first what the others need. */
const first = ["README.md", "Docs/Install.md", "Docs/Quick-start.md"];
const folders = ["Docs", "Sources/StorecastServer/Documentation.docc"];
const found = folders.flatMap((folder) =>
  readdirSync(new URL(`../../${folder}`, import.meta.url))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`),
);
const pages = [...first, ...found.filter((page) => !first.includes(page))];

/** Pages of which no walk runs a block, and why. */
const others = { "Docs/Deploy.md": "its commands are root's, and .ci/packages runs them" };

/** What a block's first line says that goes on until it is stopped. */
const ownTerminal = "# in a terminal of its own";

/** Blocks that no walk runs, by a part of them, and why. */
const left = {
  "Tests/IntegrationTests/Python/requirements.txt && swift test": "it is the tests' own command",
  "release CounterServer": "it listens on 9090, whatever else does",
  "mkdir -p poll/Sources": "its package is built with the tests, as Tests/Snippets/Tutorial",
  "--product PollServer": "it takes minutes, and another machine",
  "poll.service": "it is root's, and of a machine of its own; .ci/packages does the like",
  "TEST_KILLS=200": "it takes hours",
  "StorecastBenchmarks edges": "it takes minutes, and most of the machine",
  "--rate 50000 --svg": "it takes a minute",
  "--find p99=20ms": "it takes a minute",
  "--soak 2h": "it takes hours",
  "storecast admin rooms": "it takes a server with devtools, as AdminCommandTests has",
  "storecast doctor wss": "it takes a server that others reach",
  "--cluster-address 10.0.0.11": "it takes three NATS servers, as KilledServerTests has",
  "Docs/Cluster/start": "cluster-start.test.js runs it",
  "cluster import board": "it takes three NATS servers, as ClusterCopyTests has",
  "cluster export back": "it takes three NATS servers, as ClusterCopyTests has",
  "Storm --only unplug": "it takes an hour, root, and network namespaces",
  "cluster drain": "it takes a cluster, as ClusterNodeTests has",
  "--mirrors 2000": "it takes more descriptors than a shell has",
  "--port 443": "it takes a certificate, and a port that is the system's",
  "Attacks votes fragments": "it takes an hour",
  "board.sqlite /mnt/backups/board": "it takes another disk, and never ends",
  "aws s3 cp": "it takes a store, and never ends",
  "--at 2026-11-24": "it takes a folder of copies, which JournalReplicationTests has",
  "storecast journal skip": "it takes an entry that ends its reducer, as TrappingReducerTests has",
};

/** The commands of a block: a `console` shows what they print, too. */
function commands({ language, content }) {
  if (language !== "console") return content;
  return [...content.matchAll(/^\$ (.*)$/gm)].map(([, command]) => `${command}\n`).join("");
}

describe("shell blocks, pasted one after the other", { skip: missing }, () => {
  let clone;
  before(async () => (clone = await Clone.make()));
  after(() => clone.remove());

  // In one folder, in which each finds what those before it have left.
  for (const page of pages) {
    const shell = blocks(page).filter(({ language }) => ["sh", "console"].includes(language));
    if (shell.length === 0 || page in others) continue;
    test(`${page}: ${shell.length}`, async () => {
      for (const block of shell) {
        if (Object.keys(left).some((part) => block.content.includes(part))) continue;
        if (block.content.startsWith(ownTerminal)) await clone.start(block.content);
        else await clone.run(commands(block));
      }
      for (const shown of await clone.interrupt()) {
        assert(!/isn't what the history/.test(shown), "Two pages keep what happens in one file.");
      }
    });
  }
});

describe("help", { skip: missing }, () => {
  const journal = ["rooms", "log", "show", "state", "diff", "export", "verify", "replay", "backup"];
  const files = ["restore", "repair", "import", "fork", "skip", "replicate"].concat(journal);
  const commands = ["serve", "watch", "dispatch", "bench", "admin", "cluster", "doctor", "types"]
    .concat("journal");
  const copies = ["import", "export"].map((name) => ["cluster", name]);
  const all = [[], ...commands.map((name) => [name]), ...files.map((name) => ["journal", name])]
    .concat(copies);

  test("shows commands on lines of their own, which no terminal breaks", () => {
    let count = 0;
    for (const words of all) {
      const help = execFileSync(command, [...words, "--help"], { encoding: "utf8" });
      const lines = help.split("\n");
      for (const [place, line] of lines.entries()) {
        if (!/^  (storecast|echo)/.test(line)) continue;
        count += 1;
        const isWhole = line.split("'").length % 2 === 1 && !/^\S/.test(lines[place + 1]);
        assert(isWhole, `storecast ${words.join(" ")} --help breaks:\n${line}`);
      }
    }
    assert(count > 30);
  });

  test("has every command that a page has, and the page has them all", () => {
    const page = readFileSync(new URL("../../Docs/Commands.md", import.meta.url), "utf8");
    const told = [...page.matchAll(/^\|.*?\|/gm)].flatMap(([row]) =>
      [...row.matchAll(/`storecast (.*?)`/g)].map(([, words]) => words),
    );
    const known = all.map((words) => words.join(" ")).filter((words) => words !== "");
    assert.deepEqual(told.sort(), known.sort());
  });
});

describe("the pages' blocks", () => {
  const all = pages.flatMap(blocks);

  test("that aren't walked are there", () => {
    for (const part of Object.keys(left)) {
      assert.equal(all.filter(({ content }) => content.includes(part)).length, 1, part);
    }
  });

  test("say what they are", () => {
    for (const { page, language, content } of all) {
      const isCommand = /^(\$ |#|\.?\/?\w+\/|storecast|swift|echo|cd|curl|node|npm|python3) /m;
      if (language === "") assert(!isCommand.test(content), `${page}: a shell block?\n${content}`);
    }
    assert(all.length > 60);
  });
});
