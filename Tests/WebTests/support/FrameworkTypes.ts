// Compiled by types.test.js. Every line below an "@ts-expect-error" must be an error.
import { connect } from "../../../Clients/Web/storecast";
import { createHooks, useSelection } from "../../../Clients/Web/storecast/react";
import { pending, selection } from "../../../Clients/Web/storecast/svelte";
import { TestRoom } from "../../../Clients/Web/storecast/testing";
import { createComposables } from "../../../Clients/Web/storecast/vue";

type Card = { id: string; text: string };
interface Board {
  selections: {
    column: { params: string; value: Card[] };
    summary: { value: { cards: number } };
  };
  actions: { AddCard: { column: string; text: string }; Clear: undefined };
}

const board = connect<Board>("wss://example.org/");

// One-shot states, events, signals, iterators.
const { signal } = new AbortController();
const once: Promise<Card[]> = board.once("column", "todo", { signal });
board.on("status", ({ state }) => state === "live");
board.on("rejected", (rejection, action) => [rejection.code, action.type === "AddCard"]);
board.on("lapsed", ({ selection, rejection }) => selection + rejection.code);
board.dispatch({ type: "Clear" }, { signal });
async function texts() {
  for await (const cards of board.select("column", "todo")) cards.map(({ text }) => text);
  const sizes = board.select("summary").select(({ cards }) => cards);
  for await (const size of sizes) size.toFixed();
}
// @ts-expect-error there is no such event
board.on("stauts", () => {});
// @ts-expect-error there is no such selection
board.once("colum");
// @ts-expect-error its parameter is a string
board.once("column", 5);

// React.
const hooks = createHooks<Board>();
const cards: Card[] | undefined = hooks.useSelection("column", "todo");
const sure: Card[] = hooks.useSelection("column", "todo", { suspense: true });
const size: number | undefined = hooks.useSelection("summary", undefined, {
  select: ({ cards }) => cards,
});
const sureSize: number = hooks.useSelection("summary", undefined, {
  select: ({ cards }) => cards,
  suspense: true,
});
hooks.useConnection().dispatch({ type: "AddCard", payload: { column: "todo", text: "Test it" } });
hooks.Provider({ connection: board });
const anything: any = useSelection("whatever", { a: 1 });
// @ts-expect-error it may have no state yet
hooks.useSelection("column", "todo").length;
// @ts-expect-error there is no such selection
hooks.useSelection("colum");
// @ts-expect-error there is no such action
hooks.useConnection().dispatch({ type: "AddCards" });

// Vue.
const composables = createComposables<Board>();
const column = composables.useSelection("column", () => "todo");
const length: number | undefined = column.value?.length;
const part = composables.useSelection("summary", undefined, { select: ({ cards }) => cards });
const count: number | undefined = part.value;
// @ts-expect-error its parameter is a string
composables.useSelection("column", () => 5);
// @ts-expect-error it is read only
column.value = [];

// Svelte.
selection(board, "column", "todo").subscribe((cards) => cards?.length);
pending(board).subscribe((count) => count.toFixed());
// @ts-expect-error there is no such selection
selection(board, "colum");

// A room in memory.
const room = new TestRoom<Board, Card[]>({
  state: [],
  reduce: (cards, action, { id }) =>
    action.type === "AddCard" ? [...cards, { id, text: action.payload.text }] : [],
  selections: { column: (cards) => cards, summary: (cards) => ({ cards: cards.length }) },
});
room.connect({ identity: { id: "ada" } }).select("summary");
room.dispatch({ type: "Clear" });
new TestRoom<Board, Card[]>({
  state: [],
  reduce: (cards) => cards,
  // @ts-expect-error a selection is missing
  selections: { column: (cards) => cards },
});
void [once, texts, cards, sure, size, sureSize, anything, length, count];
