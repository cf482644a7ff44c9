import Foundation
import Logging
import StorecastWebSocket
import Synchronization
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

/// The two parts of a server that shares rooms with others, of which there are none here.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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

        init(isSecure: Bool = false) throws {
            let key = try EdgeKey(text: "0123456789abcdef")
            entrance = ClusterEntrance(
                host: "127.0.0.1", name: "core.example", port: 0, isSecure: isSecure, key: key)
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
        for other in others { #expect(try await inTime { await other.value }) }
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

extension ServerClusterTests {
    private func journal(_ cluster: Lone) -> JournalProvider {
        JournalProvider(sharing: cluster) { () throws(JournalError) in
            MemoryJournalStore(capacity: 1)
        }
    }

    @Test func `the part with rooms bounds what other servers send by nothing but each client's`()
        throws
    {
        var limits = SyncLimits()
        limits.connections = 77
        limits.connectionsPerAddress = 3
        limits.messageBytes = 5000
        limits.setRates(SyncRate(messages: 1, bytes: 1, actions: 1))
        let front = SyncServer(
            port: 7, journal: journal(try Lone()), loops: 2, limits: limits,
            rooms: { _ in Tallies.room })
        let owner = try #require(front.owner)
        #expect(owner.configuration.limits.connectionsPerAddress == 77)
        #expect(owner.configuration.limits.addressRate == .unlimited)
        #expect(owner.configuration.limits.connectionRate == limits.connectionRate)
        #expect(owner.configuration.limits.identityRate == limits.identityRate)
        #expect(owner.listener.maxMessageBytes == 5032 && owner.listener.port == 0)
        #expect(owner.listener.reusePort && front.listener.reusePort)
        #expect(front.configuration.limits.connectionsPerAddress == 3)
        #expect(front.configuration.limits.addressRate == limits.addressRate)
        #expect(front.listener.maxMessageBytes == 5000 && front.listener.port == 7)
    }

    @Test func `the rooms are with the one part, the clients with the other`() throws {
        let witness = ServerExtension(path: "/own") { _ in preconditionFailure("It runs nowhere.") }
        let cluster = try Lone()
        let front = SyncServer(
            journal: journal(cluster), extensions: [witness],
            pages: WebPages(["/own/index.html": [1], "/index.html": [2], "/a.js": [3]]),
            paths: try RoomPatterns(["/own", "/a/*"]), rooms: { _ in Tallies.room })
        let owner = try #require(front.owner)
        #expect(front.configuration.extensions.isEmpty)
        #expect(owner.configuration.extensions.map(\.path) == ["/own"])
        // Where the other part has an extension there is no room.
        #expect(front.configuration.rooms("/own") == nil)
        #expect(front.configuration.rooms("/a/b") != nil)
        for part in [front, owner] { #expect(part.configuration.rooms("/b") == nil) }
        #expect(front.configuration.sharesRooms && front.configuration.upstream != nil)
        #expect(!owner.configuration.sharesRooms && owner.configuration.upstream == nil)
        #expect(front.configuration.edgeKey == nil)
        #expect(owner.configuration.edgeKey?.matches("0123456789abcdef") == true)
        // The devtools' page is the first that people find at the part with rooms.
        #expect(owner.configuration.pages["/index.html"] == [1])
        #expect(owner.configuration.pages["/a.js"] == [3])
        #expect(front.configuration.pages["/index.html"] == [2])
        let plain = SyncServer(
            journal: journal(cluster), pages: WebPages(["/a": [1]]), rooms: { _ in nil })
        #expect(plain.owner?.configuration.pages.paths == [])
        #expect(plain.configuration.pages.paths == ["/a"])
    }

    @Test func `nobody but edges is let in where the rooms are, which are as closed as they were`()
        throws
    {
        for (clients, isClosed) in [
            (.anonymous, false), (.custom { _ in .anonymous }, true),
        ] as [(Authentication, Bool)] {
            let front = SyncServer(
                journal: journal(try Lone()), authentication: clients, rooms: { _ in nil })
            let owner = try #require(front.owner).configuration.authentication
            #expect(owner.closesRooms == isClosed)
            #expect(front.configuration.authentication.closesRooms == isClosed)
            guard case .known(let identify) = owner.way else {
                Issue.record("Somebody may be let in.")
                continue
            }
            let error = #expect(throws: Rejection.self) {
                try identify(Credentials(token: "any", path: "/"))
            }
            #expect(error?.code == .unauthenticated)
        }
    }

    @Test func `lines and metrics of the part with rooms say so`() async throws {
        let (logger, messages) = MessageLog.make()
        let all = OpenMetrics()
        let front = SyncServer(
            journal: journal(try Lone()), logger: logger, metrics: all,
            rooms: { _ in Tallies.room })
        let owner = try #require(front.owner)
        #expect(owner.configuration.logger[metadataKey: "part"] == "owner")
        #expect(owner.configuration.connectionLogger[metadataKey: "part"] == "owner")
        #expect(front.configuration.logger[metadataKey: "part"] == nil)
        owner.configuration.logger.info("Here.")
        #expect(await messages.contains("Here."))
        owner.configuration.metrics.take(LoopReport(), of: 0)
        front.configuration.metrics.take(LoopReport(), of: 0)
        let text = all.text()
        #expect(text.contains("storecast_connections 0\n"))
        #expect(text.contains("storecast_connections{part=\"owner\"} 0\n"))
        withExtendedLifetime(front) {}
    }

    @Test func `where others come encrypted a certificate is needed, and else it isn't used there`()
        async throws
    {
        let secure = try Lone(isSecure: true)
        let error = await #expect(throws: ServerError.self) {
            try await server(secure).start()
        }
        #expect(error?.code == .certificateUnusable)
        #expect(!secure.isOver, "It hadn't begun.")
        let files = try TestCertificates()
        let certificate = try TLSCertificate(file: files.certificate, keyFile: files.key)
        for (isSecure, isUsed) in [(false, false), (true, true)] {
            let front = SyncServer(
                certificate: certificate, journal: journal(try Lone(isSecure: isSecure)),
                rooms: { _ in nil })
            #expect(front.listener.certificate != nil)
            #expect((front.owner?.listener.certificate != nil) == isUsed)
        }
    }

    @Test func `a reload, and other bounds, are for both parts`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("rules.json")
        func write(_ text: String) throws {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        try write(#"{"rules": []}"#)
        let (logger, messages) = MessageLog.make()
        let cluster = try Lone()
        let server = SyncServer(
            port: 0, journal: journal(cluster), logger: logger,
            rules: try DocumentRules(file: file), rooms: { _ in Tallies.room })
        _ = try await server.start()
        try await server.reload()
        var limits = SyncLimits()
        limits.subscriptions = 7
        limits.connections = 77
        #expect(await server.setLimits(limits) == [])
        for (part, isOwner) in [(server, false), (try #require(server.owner), true)] {
            let loop = try #require(part.home(of: "/"))
            #expect(await loop.bounds?.subscriptions == 7)
            #expect(await loop.bounds?.connections == 77)
            // Those that it is connected with are few, and each speaks for many.
            #expect(await (loop.bounds?.connectionsPerAddress == 77) == isOwner)
        }
        // What is wrong is thrown, though both parts have said so.
        try write("[]")
        let error = await #expect(throws: ServerError.self) { try await server.reload() }
        #expect(error?.code == .rulesUnusable)
        cluster.mayGo.continuation.yield()
        await server.stop()
        var told: [String] = []
        for await message in messages {
            if message == "rules reloaded" || message.hasPrefix("The rules in") {
                told.append(String(message.prefix(12)))
            }
            if told.count == 4 { break }
        }
        #expect(told == ["rules reload", "rules reload", "The rules in", "The rules in"])
    }
}

extension ServerLoop {
    /// The bounds that the loop goes by.
    fileprivate var bounds: SyncLimits? { core?.configuration.limits }

    /// Whether a page of this site may connect.
    fileprivate func admits(_ origin: String) -> Bool {
        core?.configuration.origins.admits(origin) == true
    }
}
