@testable import Example
@testable import StorecastSync
import Testing

struct PeopleActionTests {
    @Test func `the chat holds the newest messages, oldest first`() throws {
        var stage = Stage()
        for number in 1...(BoardLimits.messages + 2) { stage.act(Say(text: "message \(number)")) }
        #expect(stage.board.chat.count == BoardLimits.messages)
        #expect(
            stage.board.chat.first
                == ChatMessage(
                    id: "3", author: "ada", text: "message 3",
                    time: Timestamp(secondsSince1970: 3)))
        #expect(stage.board.chat.last?.text == "message \(BoardLimits.messages + 2)")
    }

    @Test func `a user is present once, from the first arrival, under the last name`() {
        var stage = Stage()
        stage.act(Arrive(), as: "ada")
        stage.act(Arrive(name: "Bob"), as: "bob")
        stage.act(Arrive(name: "Ada L."), as: "ada")
        #expect(
            stage.board.present == [
                Participant(id: "ada", name: "Ada L.", since: Timestamp(secondsSince1970: 1)),
                Participant(id: "bob", name: "Bob", since: Timestamp(secondsSince1970: 2)),
            ])
    }

    @Test func `who leaves is gone, and nobody else is`() {
        var stage = Stage()
        for user in ["ada", "bob"] { stage.act(Arrive(), as: user) }
        stage.act(Leave(), as: "ada")
        stage.act(Leave(), as: "carol")
        #expect(stage.board.present.map(\.id) == ["bob"])
    }

    @Test func `anonymous users are told apart by name`() {
        var stage = Stage()
        for name in ["x", "y", nil, "x"] { stage.act(Arrive(name: name), as: "") }
        #expect(stage.board.present.map(\.name) == ["x", "y", "anonymous"])
        stage.act(Leave(name: "x"), as: "")
        #expect(stage.board.present.map(\.id) == ["guest:y", "guest:anonymous"])
    }

    @Test func `those who came first make room when too many are present`() {
        var stage = Stage()
        for number in 0...BoardLimits.participants { stage.act(Arrive(), as: "user\(number)") }
        #expect(stage.board.present.count == BoardLimits.participants)
        #expect(stage.board.present.first?.id == "user1")
    }
}
