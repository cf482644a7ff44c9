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

    @Test func `columns has ids and titles in order`() {
        #expect(
            select(Board.columns, of: Board()) == [
                ColumnTitle(id: "todo", title: "To do"), ColumnTitle(id: "doing", title: "Doing"),
                ColumnTitle(id: "done", title: "Done"),
            ])
    }

    @Test func `column has the cards of one column in order`() {
        let board = CardActionTests.stage().board
        #expect(select(Board.column, "todo", of: board).map(\.id) == ["1", "2", "3"])
        #expect(select(Board.column, "none", of: board).isEmpty)
    }

    @Test func `card has one card wherever it is, or nil`() {
        let stage = CardActionTests.stage()
        #expect(select(Board.card, "4", of: stage.board) == stage.card("4"))
        #expect(select(Board.card, "none", of: stage.board) == nil)
    }

    @Test func `my cards are those assigned to the viewer, column by column`() {
        var stage = CardActionTests.stage()
        for (card, user) in [("4", "bob"), ("3", "bob"), ("1", "ada"), ("2", nil)] {
            stage.act(AssignCard(card: card, assignee: user))
        }
        #expect(
            select(Board.myCards, of: stage.board, as: Identity("bob")).map(\.id) == ["3", "4"])
        #expect(select(Board.myCards, of: stage.board, as: Identity("carol")).isEmpty)
        #expect(select(Board.myCards, of: stage.board).isEmpty)
    }

    @Test func `chat is the board's`() {
        var stage = Stage()
        stage.act(Say(text: "Hi"))
        #expect(select(Board.chat, of: stage.board) == stage.board.chat)
    }
}
