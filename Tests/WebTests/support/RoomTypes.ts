// Compiled by types.test.js. Every line below an "@ts-expect-error" must be an error.
import { connect, Rejection } from "../../../Clients/Web/storecast";
import type { Position } from "../../../Clients/Web/storecast";

type Card = { id: string; text: string };
interface Board {
  selections: {
    column: { params: string; value: Card[] };
    summary: { value: { cards: number } };
  };
  actions: { AddCard: { column: string; text: string }; Clear: undefined };
}

const board = connect<Board>("wss://example.org/");
const todo = board.select("column", "todo", {
  optimistic: (cards, action) =>
    action.type === "AddCard"
      ? [...cards, { id: "new", text: action.payload.text }]
      : cards,
});
const texts: string[] | undefined = todo.select((cards) => cards.map((card) => card.text)).getState();
const cards: Card[] | undefined = todo.getState();
const outcome: Promise<Position> = todo.dispatch({
  type: "AddCard",
  payload: { column: "todo", text: "Test it" },
});
board.dispatch({ type: "Clear" });
outcome.catch((error: Rejection) => error.code);
const { status } = board;
if (status.state === "offline") new Date(status.retryAt);
if (status.state === "refused") status.code.toUpperCase();

// @ts-expect-error there is no such selection
board.select("colum");
// @ts-expect-error its parameter is a string
board.select("column", 5);
// @ts-expect-error there is no such action
board.dispatch({ type: "AddCards" });
// @ts-expect-error its payload is another
board.dispatch({ type: "AddCard", payload: { column: "todo" } });
// @ts-expect-error it has one
board.dispatch({ type: "AddCard" });
// @ts-expect-error it may have no state yet
todo.getState().length;
// @ts-expect-error only while it is offline
board.status.retryAt;

const any = connect("wss://example.org/");
any.dispatch({ type: "whatever", payload: [1] });
any.select("value", { path: "/votes" }).getState()?.tea;
void [texts, cards];
