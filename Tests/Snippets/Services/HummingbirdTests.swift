import Counter
import Foundation
import Hummingbird
import Logging
import NIOCore
import StorecastClient
import StorecastLifecycle
import Synchronization
import TestSupport
import Testing

/// What `Services.md` shows: a server beside a web server, in one process.
@Suite(.timeLimit(.minutes(1))) struct HummingbirdTests {
    @Test func `both serve, one dispatches to the other's room, and both end together`()
        async throws
    {
        let (site, listening) = AsyncStream<Int>.makeStream()
        let board = SyncServer(port: 0, room: Counter.room)
        let group = Self.group(board, port: 0) { listening.yield($0) }
        let running = Task { try await group.run() }
        let port = try await inTime { try #require(await site.first { _ in true }) }
        #expect(await eventually { (try? await board.room("/", of: Counter.self)) != nil })
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/increase"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let (body, _) = try await URLSession.shared.data(for: request)
        #expect(String(decoding: body, as: UTF8.self) == "1")
        #expect(try await board.room("/", of: Counter.self).withStore { $0.state.count } == 1)
        await group.triggerGracefulShutdown()
        try await running.value
        await #expect(throws: ServerError.self) { try await board.room("/", of: Counter.self) }
    }

    private static func group(
        _ board: SyncServer, port: Int, _ onListening: @escaping @Sendable (Int) -> Void
    ) -> ServiceGroup {
        let onRunning = { @Sendable (channel: any Channel) async in
            onListening(channel.localAddress?.port ?? 0)
        }
        let logger = Logger(label: "app")
        // snippet: services
        let router = Router()
        router.post("increase") { _, _ in
            let room = try await board.room("/", of: Counter.self)
            try await room.dispatch(Increase()).outcome
            return try await room.withStore { "\($0.state.count)" }
        }
        let site = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: onRunning)
        let group = ServiceGroup(
            services: [board, site], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // end of snippet
        return group
    }
}
