import Example
import Testing

// snippet: simulated-room
import StorecastTesting

let board = SimulatedRoom(Board.room, people: [Identity("ada"), Identity("bob")])
    .mirroring(Board.summary)
    .mirroring(Board.column) { random in
        ColumnPart(column: random.below(2) == 0 ? "todo" : "done", limit: 1 + random.below(9))
    }
    .dispatching(4) { random, _ in AddCard(column: "todo", text: "\(random.below(100))") }
    .requiring("the columns keep count of their cards") { board in
        board.columns.allSatisfy { column in
            column.count == board.cards.count { $0.column == column.id }
        }
    }

@Test func `nothing is lost, whatever happens`() throws {
    try Simulation(of: board).check(0..<20)
}
// end of snippet
