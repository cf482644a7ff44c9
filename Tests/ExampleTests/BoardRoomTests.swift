@testable import Example
@testable import StorecastSync
import Testing

struct BoardRoomTests {
    @Test func `an action's payload has the members of its type, and no stamp`() throws {
        var action = AddCard(column: "todo", text: "Hi")
        action.stamp = Stamp(
            id: "1", sender: Identity("ada"), time: Timestamp(secondsSince1970: 1), seed: 1)
        #expect(
            try JSONCoding.encodeTree(action) == ["column": "todo", "text": "Hi"] as JSON)
        let read = try JSONCoding.decode(
            AddCard.self, from: ["column": "todo", "text": "Hi", "stamp": ["id": "forged"]] as JSON)
        #expect(read == AddCard(column: "todo", text: "Hi"))
        #expect(AddCard.wireName == "AddCard")
    }

    @Test func `a board survives JSON`() throws {
        var stage = CardActionTests.stage()
        stage.act(Vote(card: "1"))
        stage.act(AssignCard(card: "2", assignee: "bob"))
        stage.act(EditCard(card: "3", text: "drei"))
        stage.act(RemoveCard(card: "4"))
        stage.act(Say(text: "Hi"))
        stage.act(ClientJoined(participant: "p", user: "ada"), as: "server")
        #expect(stage.board.histories.count == 3 && stage.board.removed.count == 1)
        let json = try JSONCoding.encodeTree(stage.board)
        #expect(try JSONCoding.decode(Board.self, from: json) == stage.board)
    }

    @Test func `other actions change nothing`() {
        struct Foreign: Action {}
        var board = Board()
        Board.reduce(&board, Foreign())
        #expect(board == Board())
    }

    @Test func `the room takes every action and has every selection of the board`() {
        let room = Board.room
        #expect(
            room.actions.names == [
                "AddCard", "AddColumn", "AssignCard", "EditCard", "EditCardText", "MoveCard",
                "MoveColumn", "RemoveCard", "RemoveColumn", "RenameColumn", "RestoreCard", "Say",
                "Unvote", "Vote",
            ])
        #expect(room.validators.count == 14)
        #expect(
            room.selections.keys.sorted() == [
                "card", "chat", "column", "columns", "history", "myCards", "present", "search",
                "summary",
            ])
    }
}
