import StorecastClient
import StorecastRoom
import StorecastServer
import TestSupport
import Testing

/// What of a server may change while it runs.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct ReloadTests {
    private func status(at url: String, _ origin: String) async throws -> String {
        let request = PlainRequest.upgrade("Origin: \(origin)\r\n")
        return String(try await PlainRequest.answer(to: request, at: url).dropFirst(9).prefix(3))
    }

    @Test(arguments: [1, 3])
    func `bounds hold at once, but for those that are fixed`(loops: Int) async throws {
        var limits = SyncLimits()
        let server = SyncServer(port: 0, loops: loops, limits: limits, room: Tallies.room)
        let url = try await server.start()
        let connection = RemoteConnection(url)
        #expect(await connection.isLive())
        limits.connections = 1
        limits.window = 7
        limits.closeTimeout = .seconds(77)
        #expect(await server.setLimits(limits) == ["window", "close-timeout"])
        if loops == 1 { #expect(try await status(at: url, "http://localhost") == "503") }
        connection.close()
        await server.stop()
    }

    @Test func `other sites' pages may connect`() async throws {
        var limits = SyncLimits()
        limits.helloTimeout = .milliseconds(1)
        let server = SyncServer(
            port: 0, allowedOrigins: ["https://a.example"], limits: limits, room: Tallies.room)
        let url = try await server.start()
        func statuses() async throws -> [String] {
            [
                try await status(at: url, "https://a.example"),
                try await status(at: url, "https://b.example"),
            ]
        }
        #expect(try await statuses() == ["101", "403"])
        await server.setAllowedOrigins(["https://b.example"])
        #expect(try await statuses() == ["403", "101"])
        await server.stop()
    }

    private struct Trouble: Error, CustomStringConvertible {
        let description: String
    }

    @Test func `a reload does all that it can, logs what it can't, and throws the first`()
        async throws
    {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, logger: logger, room: Tallies.room,
            authentication: .custom(
                { _ in .anonymous }, reload: { throw Trouble(description: "No keys.") }),
            onReload: { _ in throw Trouble(description: "No settings.") })
        _ = try await server.start()
        let error = await #expect(throws: Trouble.self) { try await server.reload() }
        #expect(error?.description == "No keys.")
        var told: [String] = []
        for await message in messages where message.hasPrefix("No ") {
            told.append(message)
            if told.count == 2 { break }
        }
        #expect(told == ["No keys.", "No settings."])
        await server.stop()
    }
}
