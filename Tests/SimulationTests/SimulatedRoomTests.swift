import Example
import StorecastTesting
import TestSupport
import Testing

/// What a user of the library does with his own room.
@Suite(.oneAtATime) struct SimulatedRoomTests {
    private static let board = SimulatedRoom(
        Board.room, people: [Identity("ada"), Identity("bob"), Identity("eve")]
    )
    .mirroring(Board.summary)
    .mirroring(Board.columns)
    .mirroring(
        Board.column,
        { random in ColumnPart(column: column(&random), limit: 1 + random.below(9)) },
        optimistic: { part, page, action in Board.reducer(ofColumn: part.column)(&page, action) }
    )
    .dispatching(4) { random, _ in
        AddCard(column: column(&random), text: "\(random.below(100))")
    }
    .dispatching { random, _ in Say(text: "\(random.below(100))") }
    .requiring("the columns keep count of their cards") { board in
        board.columns.allSatisfy { column in
            column.count == board.cards.count { $0.column == column.id }
        }
    }

    private static func column(_ random: inout SeededGenerator) -> Column.ID {
        random.below(2) == 0 ? "todo" : "done"
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a room of one's own keeps the promises`(_ seed: UInt64) throws {
        try Simulation(of: Self.board).check([seed])
    }

    @Test func `a rule that doesn't hold is found, and said with the seed`() throws {
        let room = Self.board.requiring("nobody says 7") { board in
            !board.chat.contains { $0.text == "7" }
        }
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation(of: room).check(0..<100)
        }
        let report = failure.report
        #expect(report.violation?.promise.description == "nobody says 7")
        #expect("\(failure)".hasPrefix("Seed \(report.seed): nobody says 7"))
        // One says it, once he has come.
        #expect(report.steps <= 3)
        #expect(report.trace.contains { $0.contains(#""text":"7""#) })
    }
}
