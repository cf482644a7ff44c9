import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import * as storecast from "../../Clients/Web/storecast/index.js";
import {
  applyEdit,
  editOf,
  moveCursor,
  offsetNow,
  sharedText,
  textVersion,
} from "../../Clients/Web/storecast/index.js";
import { Seed } from "./support/Seed.js";
import { TestPeer } from "./support/TestPeer.js";

const file = new URL("../Vectors/texts.json", import.meta.url);
const { cases, differences, histories } = JSON.parse(readFileSync(file, "utf8"));

/** Applies the edits of a vector, and compares the text behind each. */
function follow({ start, memory, steps }) {
  let shared = sharedText(start, memory);
  for (const { edit, text, refused } of steps) {
    const edited = applyEdit(shared, edit);
    if (refused) assert.equal(edited, shared, JSON.stringify(edit));
    else assert.equal(edited.text, text, JSON.stringify(edit));
    shared = edited;
  }
  return shared;
}

describe("a shared text", () => {
  test("is held to what the model writes", () => {
    const model = fileURLToPath(new URL("../Vectors/make-texts", import.meta.url));
    execFileSync(model, ["--check"], { stdio: "pipe" });
  });

  for (const vector of cases) test(vector.name, () => void follow(vector));

  test("becomes what a slow model makes of histories of three editors", () => {
    assert(histories.length > 15);
    for (const history of histories) follow(history);
  });

  test("remembers no more than it may", () => {
    const narrow = histories.filter(({ memory }) => memory < 100);
    assert(narrow.length > 4);
    for (const history of narrow) {
      const { spans, turns, folded } = follow(history);
      assert(folded > 0, "nothing was forgotten: the history is too short for its memory");
      const deletions = spans.flatMap(({ deleted = [] }) => deleted);
      assert(spans.length + turns.length + deletions.length <= history.memory);
    }
  });

  test("needs no memory for what one editor types alone, however long", () => {
    let shared = sharedText("", 50);
    const offline = textVersion(shared, "ada");
    for (let own = 0; own < 500; own++) {
      const changes = [{ at: own, delete: 0, insert: "x" }];
      shared = applyEdit(shared, { version: { ...offline, own }, changes });
    }
    assert.equal(shared.text, "x".repeat(500));
  });

  test("keeps a turn of an editor who has typed on while it was forgotten", () => {
    let shared = sharedText("", 4);
    for (const letter of "abcdef") {
      shared = applyEdit(shared, editOf(shared, "ada", shared.text + letter));
    }
    assert.equal(shared.text, "abcdef");
    assert.deepEqual(textVersion(shared, "ada"), { editor: "ada", base: 0, own: 6 });
    assert.deepEqual(textVersion(shared, "bob"), { editor: "bob", base: 6, own: 0 });
  });
});

describe("the edit between two texts", () => {
  for (const { from, to, changes } of differences) {
    test(`makes ${JSON.stringify(to)} of ${JSON.stringify(from)}`, () => {
      const shared = sharedText(from);
      const edit = editOf(shared, "ada", to);
      assert.deepEqual(edit?.changes ?? [], changes);
      assert.equal(edit ? applyEdit(shared, edit).text : from, to);
    });
  }

  test("is one change, where there would be too many, or too much to compare", () => {
    const many = Array.from({ length: 120 }, (_, i) => `same ${i} `).join("");
    const other = many.replaceAll("same", "other");
    assert.equal(editOf(sharedText(many), "ada", other).changes.length, 1);
    const long = "a b ".repeat(1000);
    assert.equal(editOf(sharedText(long), "ada", `x${long.toUpperCase()}`).changes.length, 1);
  });

  test("has no half of a surrogate pair, which couldn't be sent", () => {
    const edit = editOf(sharedText("a"), "ada", "a\ud83d");
    assert.deepEqual(edit.changes, [{ at: 1, delete: 0, insert: "\ufffd" }]);
  });
});

describe("a cursor", () => {
  test("stays between its neighbours while others edit, in UTF-16 code units", () => {
    const older = sharedText("😀 one two");
    const newer = applyEdit(older, editOf(older, "bob", "🙃🙃 one, two"));
    assert.equal(moveCursor("😀 on".length, older, newer, "ada"), "🙃🙃 on".length);
    assert.equal(moveCursor("😀 one".length, older, newer, "ada"), "🙃🙃 one".length);
    assert.equal(moveCursor("😀 one two".length, older, newer, "ada"), "🙃🙃 one, two".length);
    assert.equal(moveCursor(0, older, newer, "ada"), 0);
  });

  test("stands where it stood, when what was around it is deleted", () => {
    const older = sharedText("one two three");
    const newer = applyEdit(older, editOf(older, "bob", "one three"));
    assert.equal(moveCursor("one tw".length, older, newer, "ada"), "one ".length);
  });

  test("keeps its distance, or stands at the end, when it can't be told", () => {
    const older = sharedText("one two", 1);
    let newer = older;
    for (const text of ["one", "on", "o"]) newer = applyEdit(newer, editOf(newer, "bob", text));
    assert.equal(offsetNow(newer, 3, textVersion(older, "ada")), undefined);
    assert.equal(moveCursor(1, older, newer, "ada"), 1);
    assert.equal(moveCursor(3, older, newer, "ada"), 1);
  });
});

/**
 * A server and editors, whose edits and whose news of the others are late. No character is inserted
 * twice, so that each can be followed.
 */
class Session {
  shared;
  accepted = 0;
  refused = 0;
  #below;
  #next = 0x4e00;

  constructor(seed, memory) {
    const numbers = new Seed(seed);
    this.#below = (end) => numbers.below(end);
    this.shared = sharedText("", memory);
    this.shared = sharedText(this.#fresh(10), memory);
    this.editors = ["ada", "bob", "eve"].map((name) => ({
      name,
      base: this.shared,
      shown: this.shared,
      waiting: [],
      unsent: [],
      answered: 0,
      count: 0,
    }));
  }

  run(steps) {
    for (let step = 0; step < steps; step++) {
      const editor = this.editors[this.#below(3)];
      const what = this.#below(4);
      if (what < 2) this.#type(editor);
      else if (what === 2) this.#serve(editor);
      else this.#receive(editor);
    }
    for (const editor of this.editors) while (editor.unsent.length > 0) this.#serve(editor);
    for (const editor of this.editors) this.#receive(editor);
  }

  #fresh(count) {
    return Array.from({ length: count }, () => String.fromCodePoint(this.#next++)).join("");
  }

  /** Somebody replaces some of what is shown to them, and is shown that at once. */
  #type(editor) {
    const { text } = editor.shown;
    const at = this.#below(text.length + 1);
    const end = Math.min(text.length, at + [0, 0, 1, 3][this.#below(4)]);
    const insert = this.#fresh(this.#below(4));
    const wanted = text.slice(0, at) + insert + text.slice(end);
    const edit = editOf(editor.shown, editor.name, wanted);
    if (!edit) return;
    const made = { number: ++editor.count, edit, insert, gone: text.slice(at, end), wanted };
    editor.waiting.push(made);
    editor.unsent.push(made);
    editor.shown = applyEdit(editor.shown, edit);
    assert.equal(editor.shown.text, wanted);
  }

  /** The server reduces the oldest edit that hasn't reached it yet. */
  #serve(editor) {
    const made = editor.unsent.shift();
    if (!made) return;
    editor.answered = made.number;
    const before = this.shared.text;
    const edited = applyEdit(this.shared, made.edit);
    if (edited === this.shared) return void this.refused++;
    this.accepted++;
    this.shared = edited;
    const has = (letter) => edited.text.includes(letter);
    assert(edited.text.includes(made.insert), "what is inserted is there, in one piece");
    assert(![...made.gone].some(has), "what is deleted is gone");
    const rest = [...edited.text].filter((letter) => !made.insert.includes(letter)).join("");
    const kept = [...before].filter((letter) => !made.gone.includes(letter)).join("");
    assert.equal(rest, kept, "what others see changes in nothing else");
    const common = [...edited.text].filter((letter) => made.wanted.includes(letter)).join("");
    const order = [...made.wanted].filter(has).join("");
    assert.equal(common, order, "it stands among what its editor saw");
  }

  /** The server's value comes, and what is waiting is run on it again. */
  #receive(editor) {
    editor.base = this.shared;
    editor.waiting = editor.waiting.filter(({ number }) => number > editor.answered);
    editor.shown = editor.base;
    for (const { edit } of editor.waiting) editor.shown = applyEdit(editor.shown, edit);
  }
}

describe("editors whose edits cross", () => {
  test("lose nothing, and are shown the same in the end", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const session = new Session(seed, 100_000);
      try {
        session.run(250);
        assert.equal(session.refused, 0);
        assert(session.accepted > 50);
        for (const { shown } of session.editors) assert.deepEqual(shown, session.shared);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });

  test("are refused, and see that, when too much has come in between", () => {
    let refused = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const session = new Session(seed, 40);
      try {
        session.run(250);
        for (const { shown } of session.editors) assert.deepEqual(shown, session.shared);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      refused += session.refused;
      assert(session.accepted > 20);
    }
    assert(refused > 0);
  });
});

describe("the text field of Docs/Text.md", () => {
  const page = readFileSync(new URL("../../Docs/Text.md", import.meta.url), "utf8");
  const [, program] = /^```js\nimport .*?;\n(.*?)^```/ms.exec(page);

  /** The page's program with a field, its server, and the texts that the server has. */
  async function open(start) {
    const field = {
      value: "",
      selectionStart: 0,
      selectionEnd: 0,
      setSelectionRange(from, to) {
        [this.selectionStart, this.selectionEnd] = [from, to];
      },
      addEventListener: (_, listener) => (field.input = listener),
      type(value) {
        field.value = value;
        field.selectionStart = field.selectionEnd = value.length;
        field.input();
      },
    };
    const lines = [];
    let peer;
    let pause;
    const names = {
      ...storecast,
      connect: (_, options) => (peer = new TestPeer(options)).connection,
      document: { getElementById: () => field },
      console: { log: (...words) => lines.push(words.join(" ")) },
      setTimeout: (send) => (pause = send),
      clearTimeout: () => (pause = undefined),
    };
    delete names.default;
    new Function(...Object.keys(names), program)(...Object.values(names));
    await peer.welcome({ v: 7 });
    const text = sharedText(start);
    await peer.say({ op: "subscribed", ref: 1, sub: 5, tag: "t", bytes: 1 });
    await peer.say({ op: "snapshot", sub: 5, v: 7, value: { text } });
    const edits = async () => (await peer.heard()).map(({ action }) => action.payload.edit);
    return { peer, field, lines, text, edits, pause: () => pause?.() };
  }

  test("sends what was typed when there is a pause", async () => {
    const { field, edits, pause } = await open("Buy tea.");
    assert.equal(field.value, "Buy tea.");
    field.type("Buy tea. ");
    field.type("Buy tea. Now");
    assert.deepEqual(await edits(), []);
    pause();
    const [edit] = await edits();
    assert.deepEqual(edit.changes, [{ at: 8, delete: 0, insert: " Now" }]);
    assert.equal(field.value, "Buy tea. Now");
  });

  test("shows what others did together with what wasn't sent yet", async () => {
    const { peer, field, text } = await open("Buy tea.");
    field.type("Buy tea. Now");
    const theirs = applyEdit(text, editOf(text, "bob", "Please buy tea."));
    const [{ action }] = await peer.say({ op: "snapshot", sub: 5, v: 8, value: { text: theirs } });
    assert.equal(field.value, "Please buy tea. Now");
    assert.equal(field.selectionStart, field.value.length);
    assert.equal(applyEdit(theirs, action.payload.edit).text, field.value);
  });

  test("says what was in an edit that is refused, and shows the text without it", async () => {
    const { peer, field, lines, edits, pause } = await open("tea");
    field.type("tea and more tea");
    pause();
    const [edit] = await edits();
    assert.equal(edit.version.own, 0);
    const reject = { op: "reject", seq: 1, code: "conflict", title: "Too long.", retryable: false };
    await peer.say(reject, { op: "transaction", v: 7, count: 0, acked: 1 });
    assert.deepEqual(lines, ["Too long.  and more tea"]);
    assert.equal(field.value, "tea");
  });
});
