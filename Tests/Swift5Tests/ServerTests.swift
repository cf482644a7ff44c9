import StorecastServer
import StorecastSync
import Testing

/// What the documents show of servers means the same in programs in the language mode of Swift 5,
/// where a closure without a label goes to the last parameter that takes one.
@Suite(.timeLimit(.minutes(30)))
struct ServerTests {
    @Test func `the closure behind run is told where the server listens`() async throws {
        let room = RoomDefinition(state: 0, actions: [], selections: []) { _, _ in }
        let (urls, told) = AsyncStream<String>.makeStream()
        let serving = Task {
            try await SyncServer(port: 0, room: room).run { url in told.yield("\(url)") }
        }
        let url = await urls.first { _ in true }
        #expect(url?.hasPrefix("ws://127.0.0.1:") == true)
        serving.cancel()
        try await serving.value
    }
}
