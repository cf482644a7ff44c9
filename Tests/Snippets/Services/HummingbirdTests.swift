import Counter
import Foundation
import FoundationNetworking
import Hummingbird
import Logging
import ServiceLifecycle
import StorecastLifecycle
import TestSupport
import Testing
import UnixSignals

/// What `Services.md` shows: a server beside a web server, in one process.
@Suite(.timeLimit(.minutes(30))) struct HummingbirdTests {
    @Test func `both serve, one dispatches to the other's room, and both end together`()
        async throws
    {
        let port = try HeldPort(isShared: true)
        let board = SyncServer(port: 0, room: Counter.room)
        let group = Self.group(board, port: port.number)
        let running = Task { try await group.run() }
        #expect(await eventually { (try? await board.room("/", of: Counter.self)) != nil })
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/increase"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        var answer = ""
        // It may not listen yet.
        #expect(
            await eventually {
                guard let (body, _) = try? await URLSession.shared.data(for: request) else {
                    return false
                }
                answer = String(decoding: body, as: UTF8.self)
                return true
            })
        #expect(answer == "1")
        #expect(try await board.room("/", of: Counter.self).withStore { $0.state.count } == 1)
        await group.triggerGracefulShutdown()
        try await running.value
        await #expect(throws: ServerError.self) { try await board.room("/", of: Counter.self) }
    }

    private static func group(_ board: SyncServer, port: Int) -> ServiceGroup {
        let logger = Logger(label: "app")
        // snippet: services
        let router = Router()
        router.post("increase") { _, _ in
            let room = try await board.room("/", of: Counter.self)
            _ = try await room.dispatch(Increase()).outcome
            return try await room.withStore { "\($0.state.count)" }
        }
        let site = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
        let group = ServiceGroup(
            services: [board, site], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // end of snippet
        return group
    }
}
