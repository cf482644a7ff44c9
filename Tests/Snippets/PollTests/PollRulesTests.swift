@testable import Tutorial

// snippet: poll-rules-test
import StorecastTesting
import Testing

struct PollRulesTests {
    @Test func `a voter votes, for one of the answers`() {
        let poll = TestStore(Poll.serverRoom)
        poll.stamp.sender = Identity("ada", roles: ["voter"])
        poll.dispatch(Vote(answer: "tea")) { $0.votes["tea"] = 1 }
        poll.expectRejection(of: Vote(answer: "water"), .invalid)

        poll.stamp.sender = .anonymous
        poll.expectRejection(of: Vote(answer: "tea"), .forbidden)
    }
}
// end of snippet
