// Compiled by declarations.test.js beside what `storecast types` wrote of the example's board. Every
// line below an "@ts-expect-error" must be an error.
import { connect } from "STORECAST";
import type { Board, Card } from "./board";

const board = connect<Board>("wss://example.org/");
const todo = board.select("column", "todo");
const texts: string[] | undefined = todo.getState()?.map((card) => card.text);
const assignee: string | undefined = todo.getState()?.[0].assignee;
const card: Card | null | undefined = board.select("card", "c0ffee").getState();
const count: number | undefined = board.select("summary").getState()?.cards;
board.dispatch({ type: "AddCard", payload: { column: "todo", text: "Test it" } });
board.dispatch({ type: "AddCard", payload: { column: "todo", text: "Test it", before: "c0ffee" } });
void [texts, assignee, card, count];

// @ts-expect-error there is no such selection
board.select("cards");
// @ts-expect-error a column is named
board.select("column", 1);
// @ts-expect-error cards have no such member
todo.getState()?.[0].title;
// @ts-expect-error the text is missing
board.dispatch({ type: "AddCard", payload: { column: "todo" } });
// @ts-expect-error the payload is missing
board.dispatch({ type: "Vote" });
// @ts-expect-error there is no such action
board.dispatch({ type: "Delete", payload: { card: "c0ffee" } });
// @ts-expect-error only the server says so
board.dispatch({ type: "ClientJoined", payload: { participant: "a", user: "b" } });
