import Example
import Testing

// snippet: simulated-room
import StorecastTesting

let board = SimulatedRoom(Board.room, people: [Identity("ada"), Identity("bob")])
    .mirroring(Board.summary)
    .mirroring(Board.column) { random in random.below(2) == 0 ? "todo" : "done" }
    .dispatching(4) { random, _ in AddCard(column: "todo", text: "\(random.below(100))") }
    .requiring("no card is there twice") { board in
        let ids = board.columns.flatMap { $0.cards.map(\.id) }
        return Set(ids).count == ids.count
    }

@Test func `nothing is lost, whatever happens`() throws {
    try Simulation(of: board).check(0..<20)
}
// end of snippet
