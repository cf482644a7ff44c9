import StorecastClient
import TestSupport
import Testing

/// A client that doesn't read, on a server of its own process.
@MainActor @Suite(.fewAtATime) struct StalledClientTests {
    private static let actions = 30_000

    /// The room's document of 8 KiB changes in 64 parts, one after the other.
    @Test(.timeLimit(.minutes(30)))
    func `costs the server less than 2 MiB and is right after one frame`() async throws {
        let server = try await ServeProcess(document: "{}")
        let busy = RemoteConnection(server.url)
        try await dispatch(12_000, on: busy)

        let stalled = try RawClient(port: server.port)
        try stalled.send(
            #"""
            [{"op":"hello","proto":1,"client":"fedcba9876543210fedcba9876543210"},
            {"op":"subscribe","ref":1,"select":"value","params":{"path":""}}]
            """#)
        let before = try server.process.residentBytes()
        try await dispatch(Self.actions, on: busy)
        let after = try server.process.residentBytes()
        // All the patches are 4.5 MB; the allocator's own steps are up to 1.2 MiB.
        #expect(after - before < 2 << 20)

        let truth = RemoteStore(selection: "value", parameters: ["path": ""], on: busy)
        var states = truth.states.makeAsyncIterator()
        let document = try #require(await states.next(isolation: #isolation))
        try expectRight(stalled, document, at: UInt64(12_000 + Self.actions))
        busy.close()
        #expect(await server.stop() == 0)
    }

    /// Reads what the sockets' buffers held, and then one frame that leads to the end.
    private func expectRight(
        _ stalled: RawClient, _ document: JSON, at version: UInt64
    ) throws {
        var value: JSON?
        var reached: UInt64 = 0
        var position: UInt64 = 0
        var jumps: [UInt64] = []
        while reached < version {
            let frame = try JSON(parsing: stalled.receive())
            guard let op = frame["op"]?.string, op == "snapshot" || op == "patch",
                let v = frame["v"]?.uint64
            else { continue }
            if op == "snapshot" {
                value = frame["value"]
            } else {
                #expect(frame["from"]?.uint64 == position)
                let patch = try JSONPatch(reading: JSONDocument("\(frame["ops"] ?? [])").root)
                var patched = try #require(value)
                try patch.apply(to: &patched)
                value = patched
            }
            if position > 0 { jumps.append(v - position) }
            (position, reached) = (v, v)
        }
        #expect(value == document)
        // Behind what the system's buffers held, one frame led to the end.
        #expect(jumps.last == jumps.max())
        #expect(jumps.last ?? 0 > 1_000)
    }

    private func dispatch(_ count: Int, on connection: RemoteConnection) async throws {
        var last: Dispatch?
        for number in 0..<count {
            last = connection.dispatch(
                type: "set",
                payload: [
                    "path": .string("/part-\(number % 64)"),
                    "value": .string("\(number) " + String(repeating: "x", count: 120)),
                ])
            if number.isMultiple(of: 5_000) { _ = try await last?.outcome }
        }
        _ = try await last?.outcome
    }
}
