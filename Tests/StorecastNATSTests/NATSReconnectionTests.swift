import TestSupport
import Testing

@testable import StorecastNATS

/// What is left of a connection to NATS on the next one.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct NATSReconnectionTests {
    @Test func `nothing that a server said holds on the next connection`() async throws {
        let server = try ScriptedNATS([
            ScriptedNATS.Script(mostBytes: 100_000, forbidden: "other", rest: "MSG a 1 100\r\nb"),
            ScriptedNATS.Script(mostBytes: 200_000),
        ])
        let client = try await NATSClient("nats://127.0.0.1:\(server.port)")
        _ = try await client.connected()
        _ = await client.subscribe("other")
        #expect(await eventually { await client.refusal(ofListeningTo: "other") != nil })
        #expect(await client.mostBytes == 100_000)
        // It ends in the middle of a message.
        server.hangUp()
        _ = try await client.connected()
        #expect(await client.refusal(ofListeningTo: "other") == nil)
        #expect(await client.mostBytes == 200_000)
        await client.end()
        withExtendedLifetime(server) {}
    }
}
