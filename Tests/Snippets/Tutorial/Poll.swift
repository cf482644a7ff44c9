// snippet: poll
public import StorecastSync

public struct Poll: Codable, Equatable, Sendable {
    public var question: String
    public var votes: [String: Int]

    public init(question: String, answers: [String]) {
        self.question = question
        votes = Dictionary(uniqueKeysWithValues: answers.map { ($0, 0) })
    }
}

public struct Vote: SyncAction {
    public var answer: String

    public init(answer: String) {
        self.answer = answer
    }
}

extension Poll {
    @Sendable public static func reduce(_ poll: inout Poll, _ action: any Action) {
        if let vote = action as? Vote { poll.votes[vote.answer, default: 0] += 1 }
    }
}
// end of snippet

// snippet: poll-room
public struct PollResult: Codable, Equatable, Sendable {
    public var question: String
    public var total: Int
}

extension Poll {
    public static let votes = Selection("votes") { (poll: Poll, answer: String) in
        poll.votes[answer] ?? 0
    }
    public static let result = Selection("result") { (poll: Poll) in
        PollResult(question: poll.question, total: poll.votes.values.reduce(0, +))
    }

    public static let room = RoomDefinition(
        state: Poll(question: "Tea or coffee?", answers: ["tea", "coffee"]),
        actions: [Vote.self], selections: [votes, result], reducer: reduce)
}
// end of snippet

// snippet: poll-rules
extension Poll {
    public static let serverRoom =
        room
        .validate(Vote.self) { poll, vote, _ in
            guard poll.votes[vote.answer] != nil else {
                throw Rejection(.invalid, "That isn't one of the answers.")
            }
        }
        .allow(Vote.self, .roles("voter"))
        .allow(votes, .open)
        .allow(result, .open)
}
// end of snippet

/// Votes in a store of this process, without a server.
public func voteLocally() -> Int? {
    // snippet: poll-store
    let store = Store(
        state: Poll(question: "Tea or coffee?", answers: ["tea", "coffee"]), reducer: Poll.reduce)
    store.dispatch(Vote(answer: "tea"))
    print(store.state.votes["tea"] ?? 0)  // 1
    // end of snippet
    return store.state.votes["tea"]
}
