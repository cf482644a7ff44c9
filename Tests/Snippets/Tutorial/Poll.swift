// snippet: poll
package import StorecastSync

package struct Poll: Codable, Equatable, Sendable {
    package var question: String
    package var votes: [String: Int]

    package init(question: String, answers: [String]) {
        self.question = question
        votes = Dictionary(uniqueKeysWithValues: answers.map { ($0, 0) })
    }
}

package struct Vote: SyncAction {
    package var answer: String

    package init(answer: String) {
        self.answer = answer
    }
}

extension Poll {
    @Sendable package static func reduce(_ poll: inout Poll, _ action: any Action) {
        if let vote = action as? Vote { poll.votes[vote.answer, default: 0] += 1 }
    }
}
// end of snippet

// snippet: poll-room
package struct PollResult: Codable, Equatable, Sendable {
    package var question: String
    package var total: Int
}

extension Poll {
    package static let votes = Selection("votes") { (poll: Poll, answer: String) in
        poll.votes[answer] ?? 0
    }
    package static let result = Selection("result") { (poll: Poll) in
        PollResult(question: poll.question, total: poll.votes.values.reduce(0, +))
    }

    package static let room = RoomDefinition(
        state: Poll(question: "Tea or coffee?", answers: ["tea", "coffee"]),
        actions: [Vote.self], selections: [votes, result], reducer: reduce)
}
// end of snippet

/// Votes in a store of this process, without a server.
package func voteLocally() -> Int? {
    // snippet: poll-store
    let store = Store(
        state: Poll(question: "Tea or coffee?", answers: ["tea", "coffee"]), reducer: Poll.reduce)
    store.dispatch(Vote(answer: "tea"))
    print(store.state.votes["tea"] ?? 0)  // 1
    // end of snippet
    return store.state.votes["tea"]
}
