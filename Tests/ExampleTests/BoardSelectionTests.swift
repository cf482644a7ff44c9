@testable import Example
@testable import StorecastSync
import Testing

struct BoardSelectionTests {
    private func select<Parameters, Value>(
        _ selection: Selection<Board, Parameters, Value>, _ parameters: Parameters,
        of board: Board, as viewer: Identity = .anonymous
    ) -> Value {
        selection.evaluate(board, parameters, viewer)
    }

    private func select<Value>(
        _ selection: Selection<Board, NoParameters, Value>, of board: Board,
        as viewer: Identity = .anonymous
    ) -> Value {
        selection.evaluate(board, NoParameters(), viewer)
    }

    @Test func `the summary counts`() {
        var stage = CardActionTests.stage()
        for user in ["ada", "bob"] { stage.act(Vote(card: "1"), as: user) }
        stage.act(Vote(card: "4"))
        stage.act(Say(text: "Hi"))
        stage.act(ClientJoined(participant: "p", user: "ada"), as: "server")
        let summary = select(Board.summary, of: stage.board)
        #expect(summary.columns == 3)
        #expect(summary.cards == 4)
        #expect(summary.votes == 3)
        #expect(summary.messages == 1)
        #expect(summary.present == 1)
    }

    @Test func `columns has ids, titles and numbers of cards in order`() {
        #expect(
            select(Board.columns, of: CardActionTests.stage().board) == [
                Column(id: "todo", title: "To do", count: 3),
                Column(id: "doing", title: "Doing", count: 1), Column(id: "done", title: "Done"),
            ])
    }

    @Test func `column has the cards of one column in order`() {
        let board = CardActionTests.stage().board
        func ids(_ part: ColumnPart) -> [String] {
            select(Board.column, part, of: board).rows.map(\.id)
        }
        #expect(ids(ColumnPart(column: "todo")) == ["1", "2", "3"])
        #expect(ids(ColumnPart(column: "none")) == [])
        let first = select(Board.column, ColumnPart(column: "todo", limit: 1), of: board)
        #expect(first.rows.map(\.id) == ["1"] && first.hasAfter && !first.hasBefore)
        let rest = ColumnPart(column: "todo", after: first.end)
        #expect(ids(rest) == ["2", "3"])
        let start = select(Board.column, rest, of: board).start
        #expect(ids(ColumnPart(column: "todo", limit: 1, before: start)) == ["1"])
    }

    @Test func `a column shows a page, and myCards too`() {
        var stage = Stage()
        for number in 0...BoardLimits.cardsPerPage {
            stage.act(AddCard(column: "todo", text: "x"))
            stage.act(AssignCard(card: "\(2 * number + 1)", assignee: "ada"))
        }
        let part = ColumnPart(column: "todo", limit: .max)
        let column = select(Board.column, part, of: stage.board)
        #expect(column.rows.count == BoardLimits.cardsPerPage && column.hasAfter)
        let mine = select(Board.myCards, of: stage.board, as: Identity("ada"))
        #expect(mine.rows.count == BoardLimits.cardsPerPage && mine.hasAfter)
        #expect(mine.count == BoardLimits.cardsPerPage + 1)
    }

    @Test func `card has one card wherever it is, or nil`() {
        let stage = CardActionTests.stage()
        #expect(select(Board.card, "4", of: stage.board) == stage.card("4"))
        #expect(select(Board.card, "none", of: stage.board) == nil)
    }

    @Test func `my cards are those assigned to the viewer`() {
        var stage = CardActionTests.stage()
        for (card, user) in [("4", "bob"), ("3", "bob"), ("1", "ada"), ("2", nil)] {
            stage.act(AssignCard(card: card, assignee: user))
        }
        #expect(
            select(Board.myCards, of: stage.board, as: Identity("bob")).rows.map(\.id)
                == ["3", "4"])
        #expect(select(Board.myCards, of: stage.board, as: Identity("carol")).rows.isEmpty)
        #expect(select(Board.myCards, of: stage.board).rows.isEmpty)
    }

    @Test func `search finds words in any column, in capitals or not, the newest card first`() {
        var stage = Stage()
        for (column, text) in [
            ("todo", "Buy green TEA"), ("done", "Tea, green\nand good"), ("todo", "Größe messen"),
            ("todo", "Greet"),
        ] { stage.act(AddCard(column: column, text: text)) }
        func found(_ text: String) -> [String] {
            select(Board.search, SearchPart(text: text), of: stage.board).rows.map(\.id)
        }
        #expect(found("tea") == ["2", "1"])
        #expect(found(" GREEN  tea ") == ["2", "1"])
        #expect(found("tea good") == ["2"])
        #expect(found("gre") == ["4", "2", "1"])
        #expect(found("GRÖSSE") == [])
        #expect(found("größe") == ["3"])
        #expect(found("buy green tea and more than that") == [])
        // What is beyond the longest text isn't looked at.
        let blank = String(repeating: " ", count: BoardLimits.search - 3)
        #expect(found("tea\(blank)coffee") == ["2", "1"])
    }

    @Test func `search finds what somebody does, with words of it, and counts beyond its limit`() {
        var stage = Stage()
        for number in 0..<(BoardLimits.found + 5) {
            stage.act(AddCard(column: "todo", text: "x"))
            stage.act(AssignCard(card: "\(2 * number + 1)", assignee: "ada"))
        }
        stage.act(AddCard(column: "done", text: "yes"))
        func found(_ text: String?, _ assignee: String?) -> RowPage<Card> {
            select(Board.search, SearchPart(text: text, assignee: assignee), of: stage.board)
        }
        let hers = found(nil, "ada")
        #expect(hers.rows.count == BoardLimits.found && hers.hasAfter)
        #expect(hers.count == BoardLimits.found + 5)
        #expect(hers.rows.first?.id == "\(2 * BoardLimits.found + 9)")
        #expect(found("x", "ada").count == BoardLimits.found + 5)
        #expect(found("y", "ada").rows.isEmpty)
        #expect(found("x", "bob").rows.isEmpty)
        #expect(found("y", nil).rows.map(\.text) == ["yes"])
    }

    @Test(arguments: [nil, "", " \n"])
    func `search finds nothing if nothing is asked for`(text: String?) {
        let page = select(
            Board.search, SearchPart(text: text), of: CardActionTests.stage().board)
        #expect(page.rows.isEmpty)
    }

    @Test func `chat is the board's`() {
        var stage = Stage()
        stage.act(Say(text: "Hi"))
        #expect(select(Board.chat, of: stage.board) == stage.board.chat)
    }
}
