// Compiled by types.test.js beside what `storecast types` writes of the example board. Every line
// below an "@ts-expect-error" must be an error.
import { connect } from "../../../Clients/Web/storecast";
import type { Card, Room } from "./made/board";

const board = connect<Room>("wss://example.org/");
const texts: string[] | undefined = board
  .select("column", { column: "todo", limit: 9 })
  .select((page) => page.rows.map((card) => card.text))
  .getState();
const pages = board.pages("column", (place) => ({ column: "todo", ...place }), {
  optimistic: (page, action) => (action.type === "AddCard" ? { ...page, hasAfter: true } : page),
});
const isMore: boolean | undefined = pages.getState()?.hasAfter;
const card: Card | null | undefined = board.select("card", "c1").getState();
const votes: number | undefined = board.select("summary").getState()?.votes;
const voters: readonly string[] = card?.voters ?? [];
board.dispatch({ type: "AddCard", payload: { column: "todo", text: "Test it" } });
board.dispatch({ type: "AssignCard", payload: { card: "c1" } });
const remembered: number | undefined = card?.edited?.spans.length;
const version = { editor: "e1", base: 0, own: 0 };
const changes = [{ at: 0, delete: 1, insert: "t" }];
board.dispatch({ type: "EditCardText", payload: { card: "c1", edit: { version, changes } } });
const found: number | undefined = board.select("search", { text: "tea" }).getState()?.count;
const event: string | undefined = board.select("history", "c1").getState()?.events[0]?.what;
board.dispatch({ type: "MoveCard", payload: { card: "c1", column: "done", isUndo: true } });
board.dispatch({ type: "RestoreCard", payload: { card: "c1" } });

// @ts-expect-error there is no such selection
board.select("colum");
// @ts-expect-error its parameter is an object
board.select("column", 5);
// @ts-expect-error a card has no colour
card?.colour;
// @ts-expect-error there is no such action
board.dispatch({ type: "AddCards" });
// @ts-expect-error the server gives the stamp
board.dispatch({ type: "AddCard", payload: { column: "todo", text: "", stamp: {} } });
// @ts-expect-error the text is missing
board.dispatch({ type: "AddCard", payload: { column: "todo" } });
// @ts-expect-error it isn't a selection of pages
board.pages("card", () => "c1");
void [texts, votes, voters, isMore, remembered, found, event];
