import StorecastWebSocket
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

    @Test func `of other servers it believes what is encrypted, if anything is`() async throws {
        for encrypts in [true, false] {
            let server = try ScriptedNATS([
                ScriptedNATS.Script(
                    mostBytes: 100_000, other: "10.0.0.1:4222", encrypts: encrypts)
            ])
            let client = try await NATSClient("nats://127.0.0.1:\(server.port)")
            _ = encrypts ? try await client.refused() : try await client.connected()
            let announced = await client.announced.map(\.description)
            #expect(announced == (encrypts ? [] : ["10.0.0.1:4222"]))
            await client.end()
            withExtendedLifetime(server) {}
        }
    }

    @Test func `who wants to hear of reconnections leaves them counted for all`() async throws {
        let server = try ScriptedNATS([
            ScriptedNATS.Script(mostBytes: 100_000), ScriptedNATS.Script(mostBytes: 100_000),
        ])
        let loop = try EventLoop(name: "jetstream")
        let jetStream = await JetStream(
            on: loop, try NATSConfiguration("nats://127.0.0.1:\(server.port)"))
        await jetStream.onReconnection {}
        #expect(await eventually { jetStream.connections == (true, 0) })
        server.hangUp()
        #expect(await eventually { jetStream.connections == (true, 1) })
        // No third one is taken.
        server.hangUp()
        #expect(await eventually { jetStream.connections == (false, 1) })
        await jetStream.close()
        await loop.shutDown()
        withExtendedLifetime(server) {}
    }
}
