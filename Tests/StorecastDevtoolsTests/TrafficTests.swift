import StorecastClient
import StorecastRoom
import StorecastServer
import StorecastSync
import StorecastWire
import Synchronization
import Testing
import TestSupport

@testable import StorecastDevtools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct TrafficTests {
    private func traffic(_ sizes: Int...) -> ConnectionTraffic {
        var traffic = ConnectionTraffic()
        for size in sizes { traffic.received.count(size) }
        return traffic
    }

    @Test func `a room's traffic is that of its connections, also of those that have ended`() {
        var table = TrafficTable()
        let first = table.open(1, to: "/a", from: "")
        table.open(2, to: "/a", from: "").received(20)
        table.open(3, to: "/b", from: "").received(300)
        first.received(1)
        first.received(2)
        table.close(1) { _ in true }
        #expect(table.byRoom == ["/a": traffic(1, 2, 20), "/b": traffic(300)])
        #expect(table.counter(of: 1) == nil)
        table.close(2) { _ in true }
        table.close(3) { _ in true }
        table.open(4, to: "/a", from: "").received(4)
        #expect(table.byRoom == ["/a": traffic(1, 2, 20, 4), "/b": traffic(300)])
        table.close(4) { _ in true }
        #expect(table.byRoom == ["/a": traffic(1, 2, 20, 4), "/b": traffic(300)])
    }

    @Test func `of a room that isn't in memory any more nothing is kept`() {
        var table = TrafficTable()
        for id in 1...3 { table.open(UInt64(id), to: "/a", from: "").received(1) }
        table.close(1) { _ in true }
        table.close(2) { _ in true }
        table.close(3) { _ in false }
        #expect(table.byRoom.isEmpty)
        _ = table.open(4, to: "/a", from: "")
        table.close(4) { _ in true }
        table.forget("/a")
        #expect(table.byRoom.isEmpty)
    }

    /// What the devtools hold of a room's traffic, whenever it leaves memory.
    private final class Watch: LoopExtension {
        static func extensions(_ told: @escaping @Sendable (TrafficTable) -> Void)
            -> [ServerExtension]
        {
            [
                .devtools(.token(DevtoolsClient.token)),
                ServerExtension(path: "/watch") { Watch($0, told) },
            ]
        }

        private unowned let host: any ExtensionHost
        private let told: @Sendable (TrafficTable) -> Void

        init(_ host: any ExtensionHost, _ told: @escaping @Sendable (TrafficTable) -> Void) {
            self.host = host
            self.told = told
        }

        func makeRoom(_ context: RoomContext) -> any AnyRoom { Tallies.room.open(context) }
        func identity(token: String?) -> Result<Identity, Rejection> { .success(.anonymous) }
        func opened(
            _ connection: UInt64, _ credentials: Credentials
        ) -> (any ConnectionObserver)? { nil }
        func closed(_ connection: UInt64) { tell() }
        func unloaded(_ room: any AnyRoom) { tell() }

        private func tell() {
            let told = told
            for part in host.parts(LoopInspector.self) { part.perform { told($0.traffic) } }
        }
    }

    @Test func `when a room leaves memory, so does what is known of its traffic`() async throws {
        let bytes = Mutex<[UInt64?]>([])
        let extensions = Watch.extensions { traffic in
            bytes.withLock { $0.append(traffic.byRoom["/"]?.received.bytes) }
        }
        var limits = SyncLimits()
        limits.unloadAfter = .milliseconds(200)
        let server = SyncServer(
            port: 0,
            journal: JournalProvider { () throws(JournalError) in
                MemoryJournalStore(capacity: .max)
            },
            limits: limits, extensions: extensions, rooms: { _ in Tallies.room })
        let client = RemoteConnection(try await server.start())
        _ = try await client.dispatch(Add(number: 1)).outcome
        client.close()
        try #require(await eventually { bytes.withLock { $0.count } == 2 })
        let (closed, unloaded) = bytes.withLock { ($0[0], $0[1]) }
        #expect(closed ?? 0 > 0, "It counts as long as the room is there.")
        #expect(unloaded == nil)
        await server.stop()
    }

    /// Is held by what a server was given.
    private final class Token: Sendable {}

    @MainActor @Test(arguments: [1, 3])
    func `a server that has stopped leaves nothing, though somebody looked into it`(
        loops: Int
    ) async throws {
        func serve() async throws -> () -> Bool {
            let token = Token()
            let server = SyncServer(
                port: 0, loops: loops,
                extensions: [.devtools(.token(DevtoolsClient.token))],
                rooms: { _ in withExtendedLifetime(token) { Tallies.room } })
            let url = try await server.start()
            let client = RemoteConnection(url)
            _ = try await client.dispatch(Add(number: 1)).outcome
            let devtools = DevtoolsClient(url)
            let stores = ["state", "log"].map { devtools.follow($0, ["room": "/"]) }
            for store in stores { _ = try await devtools.answer(of: store) }
            _ = try await devtools.answer("stateAt", ["room": "/", "version": 1])
            await server.stop()
            client.close()
            devtools.connection.close()
            return { [weak token] in token == nil }
        }
        let isGone = try await serve()
        #expect(await eventually(isGone))
    }
}
