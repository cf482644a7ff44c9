// Compiled by types.test.js. Every line below an "@ts-expect-error" must be an error.
import { connect } from "../../../Clients/Web/storecast";
import type { OrderedTable, PageStore, RowChange, RowCursor } from "../../../Clients/Web/storecast";
import type { RowPage, Table } from "../../../Clients/Web/storecast";

type CardID = string & { readonly of: "card" };
type Card = { id: CardID; text: string };
type CardPage = { column: string; limit: number; after?: RowCursor; before?: RowCursor };
interface Board {
  selections: {
    board: { value: { cards: Table<Card, CardID>; columns: OrderedTable<{ title: string }> } };
    document: { params: { path: string }; value: Table<Card> | null };
    page: { params: CardPage; value: RowPage<Card> };
  };
  actions: { AddCard: { text: string } };
}

const board = connect<Board>("wss://example.org/");
const cards = board.select("board").select((state) => state.cards).rows();
const ids: readonly CardID[] | undefined = cards.ids.getState();
const card: Card | undefined = cards.row(ids![0]!).getState();
const end: () => void = cards.subscribe((changes: readonly RowChange<Card, CardID>[]) => {
  const text: string | undefined = changes[0]?.new?.text;
  void text;
});
const columns = board.select("board").select((state) => state.columns).orderedRows();
const title: string | undefined = columns.row("todo").getState()?.title;
const parsed = board.select("document", { path: "/cards" }).rows();
const other: Card | undefined = parsed.row("c1").getState();

const pages: PageStore<RowPage<Card>, { type: "AddCard"; payload: { text: string } }> =
  board.pages("page", (place) => ({ column: "todo", limit: 50, ...place }));
const rows: readonly Card[] | undefined = pages.getState()?.rows;
const count: number | undefined = pages.getState()?.count;
const texts: string[] | undefined = pages
  .select((page) => page.rows.map((row) => row.text))
  .getState();
pages.dispatch({ type: "AddCard", payload: { text: "Test it" } });

// @ts-expect-error its ids aren't any strings
cards.row("c1");
// @ts-expect-error there may be no such row
parsed.row("c1").getState().text;
// @ts-expect-error its rows have other members
columns.row("todo").getState()?.text;
// @ts-expect-error its values are no pages
board.pages("board", (place) => place);
// @ts-expect-error a parameter is missing
board.pages("page", (place) => ({ column: "todo", ...place }));
// @ts-expect-error rows of a page are not to be changed
pages.getState()?.rows.push();

const any = connect("wss://example.org/");
any.select("value").rows().row("c1").getState()?.text;
any.select("value").orderedRows().row("c1").getState()?.text;
any.pages("page", (place) => place).getState()?.rows[0].text;
void [card, end, title, other, rows, count, texts];
