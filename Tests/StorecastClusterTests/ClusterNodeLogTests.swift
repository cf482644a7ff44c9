import Logging
import StorecastServer
import StorecastWebSocket
import TestSupport
import Testing

@testable import StorecastCluster
@testable import StorecastNATS

/// What a server logs of the others of its cluster, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct ClusterNodeLogTests {
    private static let layout = JetStreamLayout(name: "log", streams: 2, replicas: 1)

    /// Passes on each line, with its level.
    private struct Log: LogHandler {
        let lines: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ lines: AsyncStream<String>.Continuation) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.yield("\(event.level) \(event.message)") }
    }

    @Test func `who has another key, goes, or is at another's address is named`() async throws {
        let nats = try await NATSProcess()
        var servers = try NATSServers(nats.address, replicas: 1)
        servers.layout = Self.layout
        let (stream, lines) = AsyncStream<String>.makeStream()
        let node = ClusterNode(
            nats: servers, key: try EdgeKey(text: "0123456789abcdef"), at: NodeAddress(),
            logger: Logger(label: "test") { _ in Log(lines) }, pulseInterval: .milliseconds(20))
        let server = SyncServer(port: 0, journal: .cluster(node), rooms: { _ in nil })
        _ = try await server.start()
        let address = try #require(node.address)
        let loop = try EventLoop(name: "test")
        let jetStream = await JetStream(on: loop, try NATSConfiguration(nats.address))
        try await jetStream.connected(within: .seconds(60))
        let (a, b) = (
            ClusterServer(id: "a", address: "ws://a:1"), ClusterServer(id: "b", address: address)
        )
        let pulses = [
            ServerPulse(server: a, number: 0, key: "another"),
            ServerPulse(server: a, number: 0, kind: .gone, key: "another"),
            ServerPulse(server: b, number: 0),
        ]
        let expected = [
            "error The server a at ws://a:1 has another key than this one, \(node.id) at "
                + "\(address): neither can reach the other's rooms. Give all servers the same "
                + "key: --edge-key, ClusterNode(key:).",
            "warning the server a at ws://a:1 is gone",
            "error the server b says that it is at this one's address, \(address): give each an "
                + "address of its own",
        ]
        let messages = stream.limited
        for (pulse, line) in zip(pulses, expected) {
            try await jetStream.publish(pulse.payload, to: Self.layout.pulses)
            #expect(await messages.contains(line))
        }
        await jetStream.close()
        await loop.shutDown()
        await server.stop()
    }
}
