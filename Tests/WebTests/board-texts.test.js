import assert from "node:assert/strict";
import { describe, test } from "./support/testing.js";
import { remember, sharedTextOf } from "../../Clients/Web/board/cardText.js";
import { TextDraft } from "../../Clients/Web/board/TextDraft.js";
import { inverseOf } from "../../Clients/Web/board/Undoing.js";
import { applyEdit, editOf } from "../../Clients/Web/storecast/index.js";
import { Seed } from "./support/Seed.js";

const cardOf = (shared) => ({ id: "a", column: "todo", text: shared.text, edited: shared });

/** A card that Ada and Bob edit at once. */
class Card {
  constructor(text) {
    this.start = sharedTextOf({ text });
    this.shared = this.start;
  }

  get text() {
    return this.shared.text;
  }

  #shown(editor, shared) {
    return { card: () => cardOf(shared), columns: [], me: editor, participant: editor };
  }

  /** What takes an edit back, as it is noted when that is dispatched by who is shown a text. */
  #noted(editor, edit, shown) {
    const act = { type: "EditCardText", payload: { card: "a", edit } };
    return inverseOf(act, this.#shown(editor, shown));
  }

  /** Both save without having seen the other's text, Ada first. */
  cross(adas, bobs) {
    this.inverses = {};
    const edits = [["ada", adas], ["bob", bobs]].map(([editor, text]) => {
      const edit = editOf(this.start, editor, text);
      if (edit) this.inverses[editor] = this.#noted(editor, edit, this.start);
      return edit;
    });
    for (const edit of edits) if (edit) this.shared = applyEdit(this.shared, edit);
  }

  /** Ada saves while Bob has typed, whose field has both before he saves; that is returned. */
  follow(adas, bobs) {
    this.inverses = {};
    const field = { selectionStart: 0, selectionEnd: 0, setSelectionRange: () => {} };
    const draft = new TextDraft(field, "bob", this.start);
    field.value = bobs;
    const edit = editOf(this.start, "ada", adas);
    if (edit) this.inverses.ada = this.#noted("ada", edit, this.start);
    if (edit) this.shared = applyEdit(this.shared, edit);
    draft.follow(this.shared);
    const { edit: mine, base } = draft;
    if (!mine) return field.value;
    remember(mine, field.value, base);
    this.inverses.bob = this.#noted("bob", mine, this.shared);
    this.shared = applyEdit(this.shared, mine);
    return field.value;
  }

  undo(editor) {
    const undo = this.inverses[editor]?.action(this.#shown(editor, this.shared));
    if (undo) this.shared = applyEdit(this.shared, undo.payload.edit);
    return this.text;
  }
}

const monday = ["Call Tom on Monday", "Mail Tina on Friday", "Visit Tom on Monday"];

describe("a text that two replace at once", () => {
  test("has the words of both, whole", () => {
    const card = new Card(monday[0]);
    card.cross(monday[1], monday[2]);
    assert.equal(card.text, "VisitMail Tina on Friday");
  });

  test("has them apart in the field of who saves later, who sees what comes of it", () => {
    const card = new Card(monday[0]);
    assert.equal(card.follow(monday[1], monday[2]), "Visit Mail Tina on Friday");
    assert.equal(card.text, "Visit Mail Tina on Friday");
  });

  test("keeps what one has put there when the other takes theirs back", () => {
    for (const how of ["cross", "follow"]) {
      const [one, other] = [new Card(monday[0]), new Card(monday[0])];
      for (const card of [one, other]) card[how](monday[1], monday[2]);
      assert.equal(one.undo("bob"), "Mail Tina on Friday");
      assert.match(other.undo("ada"), /^Visit +Tom on Monday$/);
      assert.equal(one.undo("ada"), monday[0]);
      assert.equal(other.undo("bob"), monday[0]);
    }
  });

  test("has small changes of both as they are meant", () => {
    for (const [start, adas, bobs, both] of [
      ["Call Tom", "Call Tom at nine", "Please Call Tom", "Please Call Tom at nine"],
      ["Buy oat milk", "Buy soy milk", "Buy oat milk now", "Buy soy milk now"],
      ["Buy tea", "Buy teas", "Buy green tea", "Buy green teas"],
      ["Buy tea now", "Buy coffee now", "Buy tea, now", "Buy coffee, now"],
    ]) {
      for (const how of ["cross", "follow"]) {
        for (const [one, other] of [[adas, bobs], [bobs, adas]]) {
          const card = new Card(start);
          card[how](one, other);
          assert.equal(card.text, both);
        }
      }
    }
  });

  test("isn't written twice by who has typed the same", () => {
    const card = new Card("Buy milk");
    assert.equal(card.follow("Buy tea", "Buy tea"), "Buy tea");
    assert.equal(card.undo("ada"), "Buy milk");
  });

  test("is merged with the text that somebody began from, as often as others save", () => {
    const field = { selectionStart: 0, selectionEnd: 0, setSelectionRange: () => {} };
    const start = sharedTextOf({ text: monday[0] });
    const draft = new TextDraft(field, "bob", start);
    field.value = monday[2];
    let shared = start;
    for (const text of ["Mail Tom on Monday", "Mail Tina on Monday", "Mail Tina on Friday"]) {
      shared = applyEdit(shared, editOf(shared, "ada", text));
      draft.follow(shared);
    }
    assert.equal(field.value, "Visit Mail Tina on Friday");
    assert.deepEqual(draft.unsaved, { text: monday[2], base: start });
    assert.equal(applyEdit(shared, draft.edit).text, field.value);
    field.value += " at nine";
    assert.equal(draft.base, shared);
    assert.equal(applyEdit(shared, draft.edit).text, "Visit Mail Tina on Friday at nine");
  });
});

/** Two texts that were made of one, word by word, with words that nobody else has. */
function made(seed, { mayDelete }) {
  const numbers = new Seed(seed);
  const below = (end) => numbers.below(end);
  let count = 0;
  // Of one length, so that none is a part of another.
  const word = () => {
    const letters = Array.from({ length: 4 }, () => String.fromCharCode(97 + below(26)));
    return letters.join("") + String((count += 1)).padStart(2, "0");
  };
  const words = Array.from({ length: 1 + below(7) }, word);
  const change = () => {
    const news = [];
    const texts = words.flatMap((old) => {
      const what = below(6);
      if (what > 2) return [old];
      if (what === 0 && mayDelete) return [];
      const fresh = Array.from({ length: 1 + below(2) }, word);
      news.push(...fresh);
      return what === 1 ? fresh : [...fresh, old];
    });
    return { text: texts.join(" "), news };
  };
  return { start: words.join(" "), adas: change(), bobs: change() };
}

describe("texts that two make of one by chance", () => {
  const seeds = Array.from({ length: 1000 }, (_, seed) => seed + 1);

  test("have the words of both, whole, and no part of another", () => {
    for (const seed of seeds) {
      const { start, adas, bobs } = made(seed, { mayDelete: true });
      if (!adas.text || !bobs.text) continue;
      for (const how of ["cross", "follow"]) {
        const card = new Card(start);
        card[how](adas.text, bobs.text);
        const words = card.text.match(/[a-z]{4}\d\d/g) ?? [];
        assert.equal(card.text.replace(/[a-z]{4}\d\d| /g, ""), "", `seed ${seed}: ${card.text}`);
        for (const word of [...adas.news, ...bobs.news]) {
          assert(words.includes(word), `seed ${seed}: ${word} in ${card.text}`);
        }
        for (const word of words) {
          const known = [...start.split(" "), ...adas.news, ...bobs.news];
          assert(known.includes(word), `seed ${seed}: ${word} in ${card.text}`);
        }
      }
    }
  });

  test("are the one again when both have taken theirs back, in whatever order", () => {
    for (const seed of seeds) {
      const { start, adas, bobs } = made(seed, { mayDelete: false });
      for (const how of ["cross", "follow"]) {
        for (const order of [["ada", "bob"], ["bob", "ada"]]) {
          const card = new Card(start);
          card[how](adas.text, bobs.text);
          for (const editor of order) card.undo(editor);
          assert.equal(card.text, start, `seed ${seed}, ${how}, ${order}`);
        }
      }
    }
  });
});
