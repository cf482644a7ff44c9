import CoreMetrics
import Glibc
import InMemoryTracing
import StorecastWebSocket
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import StorecastRoom
@testable import StorecastServer

/// What a server makes of what it is given.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ServerConfigurationTests {
    private static func key() throws -> EdgeKey { try EdgeKey(text: "0123456789abcdef") }

    @Test func `each bound on sockets is that of the limits`() {
        var limits = SyncLimits()
        limits.messageBytes = 2001
        limits.connections = 2002
        limits.pingInterval = .seconds(2003)
        limits.silence = .seconds(2004)
        limits.stallTimeout = .seconds(2005)
        limits.messageTimeout = .seconds(2006)
        limits.unfinishedBytes = 2007
        limits.handshakeTimeout = .seconds(2008)
        limits.answerTimeout = .seconds(2009)
        limits.requestsPerConnection = 2011
        limits.keptConnections = 2012
        limits.closeTimeout = .seconds(2010)
        let listener = SyncServer(limits: limits, rooms: { _ in nil }).listener
        #expect(listener.maxMessageBytes == 2001)
        #expect(listener.maxConnections == 2002)
        #expect(listener.pingInterval == .seconds(2003))
        #expect(listener.deadPeerTimeout == .seconds(2004))
        #expect(listener.stallTimeout == .seconds(2005))
        #expect(listener.messageTimeout == .seconds(2006))
        #expect(listener.unfinishedBytes == 2007)
        #expect(listener.handshakeTimeout == .seconds(2008))
        #expect(listener.answerTimeout == .seconds(2009))
        #expect(listener.requestsPerConnection == 2011)
        #expect(listener.keptConnections == 2012)
        #expect(listener.closeTimeout == .seconds(2010))
    }

    @Test func `it listens on this machine's port 9090 unless it is told otherwise`() {
        let listener = SyncServer(rooms: { _ in nil }).listener
        #expect(listener.host == "127.0.0.1" && listener.port == 9090)
        #expect(listener.descriptor == nil && listener.certificate == nil)
        let told = SyncServer(
            host: "::1", port: 7, listeningSocket: 3, rooms: { _ in nil }
        ).listener
        #expect(told.host == "::1" && told.port == 7 && told.descriptor == 3)
    }

    @Test func `an edge's message may have the number of a client before it`() throws {
        let limits = SyncLimits()
        let server = SyncServer(edgeKey: try Self.key(), rooms: { _ in nil })
        #expect(server.listener.maxMessageBytes == limits.messageBytes + 32)
        #expect(SyncServer(rooms: { _ in nil }).listener.maxMessageBytes == limits.messageBytes)
    }

    @Test func `loops share a port that nobody else has, and one has it alone`() {
        for (loops, isShared) in [(1, false), (2, true)] {
            let listener = SyncServer(loops: loops, rooms: { _ in nil }).listener
            #expect(listener.reusePort == isShared && listener.claimsPort == isShared)
        }
    }

    @Test(arguments: [0, -1])
    func `a server has a loop at least`(loops: Int) async throws {
        let server = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        _ = try await server.start()
        #expect(server.home(of: "/") != nil)
        await server.stop()
    }

    @Test func `the function for rooms is asked only about paths that match the patterns`() throws {
        let asked = Mutex<[String]>([])
        let server = SyncServer(
            paths: try RoomPatterns(["/a/*"]),
            rooms: { path in
                asked.withLock { $0.append(path) }
                return Tallies.room
            })
        #expect(server.configuration.rooms("/b") == nil)
        #expect(server.configuration.rooms("/a/x") != nil)
        #expect(asked.withLock(\.self) == ["/a/x"])
        let all = SyncServer(rooms: { $0 == "/none" ? nil : Tallies.room })
        #expect(all.configuration.rooms("/b") != nil && all.configuration.rooms("/none") == nil)
    }

    @Test func `a server of one room has it at the root alone`() {
        let rooms = SyncServer(room: Tallies.room).configuration.rooms
        #expect(rooms("/") != nil && rooms("") == nil && rooms("/other") == nil)
    }

    @Test func `a tracer that does nothing isn't asked`() {
        func tracer(_ given: any Tracer) -> (any Tracer)? {
            SyncServer(tracer: given, rooms: { _ in nil }).configuration.tracer
        }
        #expect(tracer(NoOpTracer()) == nil)
        #expect(tracer(InMemoryTracer()) != nil)
    }

    @Test func `metrics go to the operations' address, and still to where they went before`() throws
    {
        let own = OpenMetrics()
        let server = SyncServer(
            metrics: own, operations: OperationsAddress(port: 0), rooms: { _ in nil })
        server.configuration.metrics.take(LoopReport(), of: 0)
        let (told, text) = (try #require(server.operations).metrics.text(), own.text())
        #expect(told.contains("storecast_connections 0\n"))
        #expect(told.contains("# HELP storecast_connections Open connections of clients.\n"))
        #expect(text.contains("storecast_connections 0\n"))
        // What it has measured goes with it.
        withExtendedLifetime(server) {}
        #expect(SyncServer(metrics: own, rooms: { _ in nil }).operations == nil)
    }

    @Test func `of what somebody wants it to trust the first problem is said`() {
        #expect(SyncServer.problem(origins: ["https://a.example"], proxies: ["10.0.0.0/8"]) == nil)
        #expect(SyncServer.problem(origins: [], proxies: []) == nil)
        let origin = SyncServer.problem(origins: ["*", "a.example"], proxies: ["none"])
        #expect(origin?.hasPrefix("'a.example' isn't a site") == true)
        let proxy = SyncServer.problem(origins: ["null"], proxies: ["::1", "10.0.0.0/33"])
        #expect(proxy?.contains("'10.0.0.0/33'") == true)
    }

    // MARK: Mistakes of programs

    private func message(of result: ExitTest.Result) -> String {
        String(decoding: result.standardErrorContent, as: UTF8.self)
    }

    @Test func `two ways to find out who clients are are a mistake of the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = SyncServer(
                authentication: .custom { _ in .anonymous }, rooms: { _ in nil },
                authenticate: { _ in .anonymous })
        }
        #expect(message(of: result).contains("one way to find out who its clients are"))
    }

    @Test func `an edge with edges is a mistake of the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let key = try EdgeKey(text: "0123456789abcdef")
            _ = SyncServer(
                edgeKey: key, upstream: try Upstream("ws://a", key: key), rooms: { _ in nil })
        }
        #expect(message(of: result).contains("has no edges of its own"))
    }

    @Test func `a program whose server can't start says why, and ends with the status 1`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
        ) {
            await SyncServer(host: "8.8.8.8", port: 0, room: Tallies.room).main()
        }
        #expect(message(of: result).contains("Error: Can't listen on 8.8.8.8:0: "))
    }

    @Test func `a proxy that has no address is a mistake of the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = SyncServer(trustedProxies: ["proxy.example"], rooms: { _ in nil })
        }
        #expect(message(of: result).contains("'proxy.example' isn't an address"))
    }
}

/// What a running server does when its terminal hangs up.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct HangUpTests {
    @Test func `with nothing to read again it ends`() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            // Whoever runs the tests may ignore it.
            signal(SIGHUP, SIG_DFL)
            try await HangUp.survive(SyncServer(port: 0, room: Tallies.room))
        }
    }

    @Test func `with something of its program's to do it does that, and goes on`() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let server = SyncServer(
                port: 0, room: Tallies.room, onReload: { _ in kill(getpid(), SIGTERM) })
            try await server.run { _ in kill(getpid(), SIGHUP) }
        }
    }

    @Test func `with authentication that can be read again it is, and the server goes on`() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let server = SyncServer(
                port: 0, room: Tallies.room,
                authentication: .custom(
                    { _ in .anonymous },
                    reload: {
                        kill(getpid(), SIGTERM)
                        return { _ in false }
                    }))
            try await server.run { _ in kill(getpid(), SIGHUP) }
        }
    }

    @Test func `with an audit log or with rules it goes on`() async {
        await #expect(processExitsWith: .success) {
            let audit = try AuditLog(file: "/dev/null")
            try await HangUp.survive(SyncServer(port: 0, audit: audit, room: Tallies.room))
        }
        await #expect(processExitsWith: .success) {
            let rules = try DocumentRules(text: #"{"rules": []}"#)
            try await HangUp.survive(SyncServer(port: 0, room: Tallies.room, rules: rules))
        }
    }

    @Test func `a reload that fails doesn't end it`() async {
        await #expect(processExitsWith: .success) {
            try await HangUp.survive(
                SyncServer(
                    port: 0, room: Tallies.room, onReload: { _ in throw CancellationError() }))
        }
    }
}

private enum HangUp {
    /// Runs a server that hears its terminal hang up, and is asked to end behind that.
    static func survive(_ server: SyncServer) async throws {
        alarm(20)
        try await server.run { _ in
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
        }
    }
}
