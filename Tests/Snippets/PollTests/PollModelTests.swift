import StorecastTesting
import Testing

@testable import Tutorial

// snippet: poll-model-test
@MainActor struct PollModelTests {
    @Test func `a vote made offline counts when the app is back`() async {
        let poll = TestRoom(Poll.serverRoom)
        let phone = poll.connect(as: Identity("ada", roles: ["voter"]))
        let model = PollModel(phone)
        await poll.settle()
        #expect(model.text == "Tea or coffee? 0 of 0 want tea.")

        poll.goOffline(phone)
        let voting = Task { await model.vote("tea") }
        await poll.advance(by: .seconds(3600))
        #expect(poll.state.votes["tea"] == 0)

        poll.goOnline(phone)
        await poll.advance(by: .seconds(30))
        await voting.value
        #expect(model.text == "Tea or coffee? 1 of 1 want tea.")
    }
}
// end of snippet
