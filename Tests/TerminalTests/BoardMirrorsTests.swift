import Example
import StorecastTesting
@testable import Terminal
import TestSupport
import Testing

/// What the terminal follows of a board.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct BoardMirrorsTests {
    private let room = TestRoom(Board.room)
    private let mirrors: BoardMirrors
    private let changes = Changes()

    private final class Changes {
        var pages: [Column.ID: RowPage<Card>] = [:]
        var turns: [PageTurn] = []
    }

    init() async {
        mirrors = BoardMirrors(on: room.connect(as: Identity("ada"))) { [changes] change in
            guard case .page(let column, let page, let turned) = change else { return }
            changes.pages[column] = page
            if let turned { changes.turns.append(turned) }
        }
        await room.settle()
    }

    private func shown(_ column: Column.ID) -> [String] {
        changes.pages[column]?.rows.map(\.text) ?? []
    }

    @Test func `a column that is gone isn't followed any more`() async {
        #expect(changes.pages.keys.sorted() == ["doing", "done", "todo"])
        weak let gone = mirrors.pages["done"]
        #expect(gone != nil)
        room.dispatch(RemoveColumn(column: "done"))
        await room.settle()
        #expect(gone == nil && mirrors.pages.count == 2)
    }

    @Test func `a long column is shown a page at a time, which stays live`() async {
        let size = BoardLimits.cardsPerPage
        for number in 0..<(2 * size + 5) {
            room.dispatch(AddCard(column: "todo", text: "\(number)"))
        }
        await room.settle()
        #expect(shown("todo") == (0..<size).map(String.init))
        func turn(_ turn: PageTurn) async {
            mirrors.turn("todo", turn)
            await room.settle()
        }
        await turn(.next)
        #expect(shown("todo").first == "\(size)")
        await turn(.next)
        #expect(shown("todo") == (2 * size..<2 * size + 5).map(String.init))
        room.dispatch(AddCard(column: "todo", text: "new"))
        await room.settle()
        #expect(shown("todo").last == "new")
        await turn(.previous)
        #expect(shown("todo") == (size..<2 * size).map(String.init))
        await turn(.first)
        #expect(shown("todo").first == "0")
        #expect(changes.turns == [.next, .next, .previous, .first])
    }

    @Test func `from a page whose cards are all gone it goes to the first`() async {
        let size = BoardLimits.cardsPerPage
        for number in 0...size { room.dispatch(AddCard(column: "todo", text: "\(number)")) }
        await room.settle()
        mirrors.turn("todo", .next)
        await room.settle()
        #expect(shown("todo") == ["\(size)"])
        room.dispatch(RemoveCard(card: changes.pages["todo"]!.rows[0].id))
        await room.settle()
        #expect(shown("todo").first == "0")
    }
}
