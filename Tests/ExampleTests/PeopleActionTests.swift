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

    @Test func `the board knows who comes and goes, and calls the nameless anonymous`() {
        var stage = Stage()
        for user in ["ada", "", "bob", "ada"] {
            stage.act(ClientJoined(participant: "p", user: user), as: "server")
        }
        for user in ["ada", "bob"] {
            stage.act(ClientLeft(participant: "p", user: user), as: "server")
        }
        #expect(
            Board.present.evaluate(stage.board, NoParameters(), .anonymous) == [
                Participant(id: "ada", name: "ada", since: Timestamp(secondsSince1970: 1)),
                Participant(id: "", name: "anonymous", since: Timestamp(secondsSince1970: 2)),
            ])
    }
}
