@testable import Example
@testable import StorecastSync
import Testing

struct ColumnActionTests {
    private func ids(_ stage: Stage) -> [String] { stage.board.columns.map(\.id) }

    @Test func `a board starts with three empty columns`() {
        #expect(ids(Stage()) == ["todo", "doing", "done"])
        #expect(Stage().board.columns.allSatisfy { $0.count == 0 })
        #expect(Stage().board.cards.isEmpty)
    }

    @Test func `a column is added at the right end or in front of another`() {
        var stage = Stage()
        stage.act(AddColumn(title: "Later"))
        stage.act(AddColumn(title: "First", before: "todo"))
        #expect(ids(stage) == ["2", "todo", "doing", "done", "1"])
        #expect(stage.board.columns[0].title == "First")
    }

    @Test func `a column moves with its cards`() {
        var stage = Stage()
        stage.act(AddCard(column: "done", text: "x"))
        stage.act(MoveColumn(column: "done", before: "todo"))
        #expect(ids(stage) == ["done", "todo", "doing"])
        #expect(stage.ids("done") == ["1"])
        stage.act(MoveColumn(column: "done", before: "gone"))
        #expect(ids(stage) == ["todo", "doing", "done"])
        stage.act(MoveColumn(column: "todo", before: "todo"))
        #expect(ids(stage) == ["todo", "doing", "done"])
    }

    @Test func `a column gets another title`() {
        var stage = Stage()
        stage.act(RenameColumn(column: "todo", title: "Ideas"))
        #expect(stage.board.columns[0].title == "Ideas")
    }

    @Test func `only an empty column is removed`() {
        var stage = Stage()
        stage.act(AddCard(column: "todo", text: "x"))
        #expect(stage.rejection(of: RemoveColumn(column: "todo"))?.code == .conflict)
        stage.act(RemoveColumn(column: "todo"))
        #expect(ids(stage) == ["todo", "doing", "done"])
        #expect(stage.rejection(of: RemoveColumn(column: "done")) == nil)
        stage.act(RemoveColumn(column: "done"))
        #expect(ids(stage) == ["todo", "doing"])
    }

    @Test func `what is done to a column that is gone is a conflict`() {
        let stage = Stage()
        for action in [
            RenameColumn(column: "x", title: "y"), MoveColumn(column: "x"),
            RemoveColumn(column: "x"),
        ] as [any SyncAction] {
            #expect(stage.rejection(of: action)?.code == .conflict)
        }
    }

    @Test func `a board has a most number of columns`() {
        var stage = Stage()
        for _ in 3..<BoardLimits.columns { stage.act(AddColumn(title: "x")) }
        #expect(stage.rejection(of: AddColumn(title: "x"))?.code == .conflict)
    }
}
