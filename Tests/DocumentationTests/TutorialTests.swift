import Observation
import StorecastClient
import StorecastServer
import Testing

@testable import Tutorial

/// The tutorial's program works.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct TutorialTests {
    @Test func `a poll in one process`() {
        #expect(voteLocally() == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a voter votes, a guest watches, and neither can do what isn't allowed`() async throws {
        let server = makeServer()
        let url = try await server.start() + "poll"
        let voting = RemoteConnection(url, token: { "secret of ada" })
        let watching = RemoteConnection(url)
        let ada = PollModel(voting)
        let guest = PollModel(watching)

        await ada.vote("tea")
        #expect(ada.problem == nil)
        await text(of: guest, becomes: "Tea or coffee? 1 of 1 want tea.")

        await ada.vote("water")
        #expect(ada.problem == "That isn't one of the answers.")
        await guest.vote("tea")
        #expect(guest.problem == "Only some roles may do this. One of voter.")
        #expect(guest.text == "Tea or coffee? 1 of 1 want tea.")

        voting.close()
        watching.close()
        await server.stop()
    }

    /// Waits as a view does: by looking again whenever what it read has changed.
    private func text(of model: PollModel, becomes text: String) async {
        while model.text != text {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = model.text
                } onChange: {
                    continuation.resume()
                }
            }
            await Task.yield()
        }
    }
}
