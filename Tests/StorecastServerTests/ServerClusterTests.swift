import StorecastWebSocket
import Synchronization
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

/// The two parts of a server that shares rooms with others, of which there are none here.
@Suite(.timeLimit(.minutes(10)), .fewAtATime)
struct ServerClusterTests {
    /// A cluster of one server, which leaves it when the test says so.
    private final class Lone: ServerCluster {
        let entrance: ClusterEntrance
        let upstream: Upstream
        private let owner = Mutex<SyncServer?>(nil)
        private let hasEnded = Atomic(false)
        /// Says that it is to leave.
        let leaving = AsyncStream<Void>.makeStream()
        /// Has it go on.
        let mayGo = AsyncStream<Void>.makeStream()

        init() throws {
            let key = try EdgeKey(text: "0123456789abcdef")
            entrance = ClusterEntrance(
                host: "127.0.0.1", name: "core.example", port: 0, isSecure: false, key: key)
            upstream = Upstream(key: key) { _ in
                throw ServerError(.notRunning, "Nobody has rooms.")
            }
        }

        var isOver: Bool { hasEnded.load(ordering: .relaxed) }

        func begin(
            _ owner: SyncServer, of server: SyncServer,
            _ onRecovery: (@Sendable (RoomProgress) -> Void)?
        ) async throws(ServerError) {
            _ = try await owner.startAsPart(onRecovery) {}
            self.owner.withLock { $0 = owner }
        }

        func leave() async {
            leaving.continuation.yield()
            for await _ in mayGo.stream { break }
        }

        func end() async {
            await owner.withLock { $0.take() }?.stop()
            hasEnded.store(true, ordering: .relaxed)
        }
    }

    private func server(
        _ cluster: Lone, hosts: [String] = [], operations: OperationsAddress? = nil
    ) -> SyncServer {
        SyncServer(
            port: 0, allowedHosts: hosts, allowedOrigins: ["https://app.example"],
            trustedProxies: ["10.0.0.0/8"],
            journal: JournalProvider(sharing: cluster) { () throws(JournalError) in
                MemoryJournalStore(capacity: 1)
            },
            operations: operations, rooms: { _ in Tallies.room })
    }

    @Test
    func `a server that leaves takes no new clients, and whoever has it stop waits for the end`()
        async throws
    {
        let cluster = try Lone()
        let server = server(cluster)
        _ = try await server.start()
        let metrics = server.configuration.metrics
        async let first: Void = server.stop()
        for await _ in cluster.leaving.stream.limited { break }
        #expect(metrics.unreadiness == "The server stops.")
        // It is still there for who looks for a room meanwhile.
        #expect(server.home(of: "/") != nil)
        let others = (0..<8).map { _ in
            Task {
                await server.stop()
                return cluster.isOver
            }
        }
        cluster.mayGo.continuation.yield()
        for other in others { #expect(await other.value) }
        await first
        #expect(cluster.isOver && server.home(of: "/") == nil)
        await server.stop()
    }

    @Test func `a front that can't start ends the part with rooms`() async throws {
        let cluster = try Lone()
        let held = try HeldPort()
        let server = server(cluster, operations: OperationsAddress(port: held.number))
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .cannotListen)
        #expect(cluster.isOver)
    }

    @Test func `sites that are allowed while it runs are allowed by both parts`() async throws {
        let cluster = try Lone()
        let server = server(cluster)
        _ = try await server.start()
        let parts = [server, try #require(server.owner)]
        func admitted(_ origin: String) async throws -> [Bool] {
            var admitted: [Bool] = []
            for part in parts {
                let loop = try #require(part.home(of: "/"))
                admitted.append(await loop.admits(origin))
            }
            return admitted
        }
        #expect(try await admitted("https://app.example") == [true, true])
        await server.setAllowedOrigins(["https://later.example"])
        #expect(try await admitted("https://app.example") == [false, false])
        #expect(try await admitted("https://later.example") == [true, true])
        cluster.mayGo.continuation.yield()
        await server.stop()
    }

    @Test func `both parts go by the same names, sites and proxies`() async throws {
        let cluster = try Lone()
        let owner = try #require(server(cluster, hosts: ["app.example"]).owner)
        let hosts = owner.configuration.hosts
        #expect(hosts.admits("app.example:1") && hosts.admits("core.example:9091"))
        #expect(!hosts.admits("evil.example"))
        #expect(owner.configuration.origins.admits("https://app.example"))
        #expect(!owner.configuration.origins.admits("https://evil.example"))
        #expect(owner.listener.trustedProxies.contains("10.1.2.3"))
        #expect(!owner.listener.trustedProxies.contains("11.1.2.3"))
    }
}

extension ServerLoop {
    /// Whether a page of this site may connect.
    fileprivate func admits(_ origin: String) -> Bool {
        core?.configuration.origins.admits(origin) == true
    }
}
