import StorecastRecorder

// snippet: recorded-actions
struct Vote: StandardActionConvertible, Codable {
    var film: String
}
// end of snippet

func reduceVotes(_ votes: inout [String: Int], _ action: any Action) {
    if let vote = action as? Vote { votes[vote.film, default: 0] += 1 }
}

/// Votes, goes back, votes otherwise, and saves, loads and plays that.
@MainActor package func travel() async throws -> (votes: [String: Int], recorded: Int) {
    // snippet: record
    let store = Store(state: [:], reducer: reduceVotes)
    let recorder = Recorder(store, typeMaps: [TypeMap(Vote.self)])
    store.dispatch(Vote(film: "Solaris"))
    store.dispatch(Vote(film: "Stalker"))

    recorder.travel(to: 1)  // as it was after one action
    recorder.stepForward()
    recorder.travel(to: 0)
    store.dispatch(Vote(film: "Mirror"))  // on from there: the two others are gone
    // end of snippet

    // snippet: save
    let bytes = try recorder.recording().bytes  // JSON Lines
    let problems = recorder.load(try Recording(bytes: bytes))
    for problem in problems { print(problem) }  // actions of a type that nobody knows
    // end of snippet

    // snippet: play
    recorder.travel(to: 0)
    try await recorder.play(speed: 2)
    // end of snippet
    return (store.state, recorder.actions.count)
}
