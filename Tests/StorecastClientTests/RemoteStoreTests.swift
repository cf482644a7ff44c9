import StorecastClient
import StorecastServer
import Testing

struct Increase: SyncAction {
    var by = 1
}

let count = Selection("count") { (count: Int) in count }
let counter = RoomDefinition(state: 0, actions: [Increase.self], selections: [count]) {
    count, action in
    if let increase = action as? Increase { count += increase.by }
}
.validate(Increase.self) { _, increase, _ in
    guard increase.by > 0 else { throw Rejection(.invalid, "Only up.") }
}

@MainActor struct RemoteStoreTests {
    @Test(.timeLimit(.minutes(1)))
    func `a dispatch is acked and shows in the mirror`() async throws {
        let server = SyncServer(port: 0, room: counter)
        let url = try await server.start()
        let connection = RemoteConnection(url)
        let store = RemoteStore(count, on: connection)
        let first = store.dispatch(Increase())
        let second = store.dispatch(Increase(by: 2))
        #expect(try await first.outcome.version >= 1)
        #expect(try await second.outcome.version == 2)
        #expect(store.state == 3)
        await #expect(throws: Rejection(.invalid, "Only up.")) {
            try await store.dispatch(Increase(by: -1)).outcome
        }
        connection.close()
        await server.stop()
    }
}
