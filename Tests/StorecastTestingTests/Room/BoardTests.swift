import Example
import StorecastTesting
import Testing

/// A test of an application as its author writes it.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct BoardTests {
    @Test func `a card shows up for the other, with the server's time`() async {
        let room = TestRoom(Board.room)
        let ada = room.connect(as: Identity("ada"))
        let bob = room.connect(as: Identity("bob"))
        let todo = RemoteStore(Board.column, ColumnPart(column: "todo"), on: bob)
        await room.advance(by: .seconds(60))
        ada.dispatch(AddCard(column: "todo", text: "Test it"))
        await room.settle()
        #expect(todo.state?.rows.first?.created == Timestamp(secondsSince1970: 60))
    }
}
