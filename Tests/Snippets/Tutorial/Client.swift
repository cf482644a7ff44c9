// snippet: poll-model
import Observation
import StorecastClient

@MainActor @Observable final class PollModel {
    private(set) var problem: String?
    private let result: RemoteStore<PollResult>
    private let tea: RemoteStore<Int>

    init(_ connection: RemoteConnection) {
        result = RemoteStore(Poll.result, on: connection)
        tea = RemoteStore(Poll.votes, "tea", on: connection)
    }

    var text: String {
        guard let result = result.state, let tea = tea.state else { return "…" }
        return "\(result.question) \(tea) of \(result.total) want tea."
    }

    func vote(_ answer: String) async {
        do {
            _ = try await result.dispatch(Vote(answer: answer)).outcome
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }
}
// end of snippet

@MainActor func watch() async {
    // snippet: poll-client
    let connection = RemoteConnection("ws://127.0.0.1:9090/poll", token: { "secret of ada" })
    let model = PollModel(connection)
    await model.vote("tea")
    print(model.problem ?? model.text)
    // end of snippet

    // snippet: poll-states
    let teas = RemoteStore(Poll.votes, "tea", on: connection)
    for await votes in teas.states { print("tea:", votes) }
    // end of snippet
}

@MainActor func watchAnywhere() {
    // snippet: poll-offline
    let connection = RemoteConnection(
        "ws://127.0.0.1:9090/poll", room: Poll.room, token: { "secret of ada" },
        outbox: .file("votes.outbox"))
    let teas = RemoteStore(Poll.votes, "tea", on: connection) { votes, action in
        if let vote = action as? Vote, vote.answer == "tea" { votes += 1 }
    }
    // end of snippet
    _ = teas
}
