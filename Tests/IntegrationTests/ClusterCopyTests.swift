import StorecastClient
import StorecastSync
import TestSupport
import Testing

/// A room that goes from a file to NATS and back, and the clients that are in it.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ClusterCopyTests {
    private let document = #"{"n":0}"#

    @Test func `clients go on as if nothing had been with a room that has gone to NATS and back`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (file, back) = (directory.file("board.sqlite"), directory.file("back.sqlite"))
        let nats = try await NATSCluster()
        var server = try await ServeProcess(document: document, data: file)
        let port = server.port
        let connection = RemoteConnection(server.url)
        defer { connection.close() }
        let mirror = RemoteStore(selection: "value", parameters: ["path": "/n"], on: connection)
        try await increment(3, on: connection)
        try await wait(until: mirror, is: 3)
        let epoch = try #require(mirror.position).epoch
        #expect(await server.stop() == 0)
        // It has effect behind the others, as NATS has what is remembered of the client.
        let waiting = connection.dispatch(type: "increment", payload: ["path": "/n"])

        #expect(
            try await run("import", file, at: nats)
                == "NATS has 1 room of '\(file)' now, with 3 entries.")
        // Another document than the one with which the room began.
        server = try await ServeProcess(document: #"{"n":70}"#, nats: nats.addresses, port: port)
        #expect(try await waiting.outcome.version == 4)
        try await increment(2, on: connection)
        try await wait(until: mirror, is: 6)
        #expect(mirror.position?.epoch == epoch)
        #expect(await server.stop() == 0)

        #expect(
            try await run("export", back, at: nats)
                == "'\(back)' has 1 room of NATS now, with 6 entries.")
        let verify = try ChildProcess("storecast", ["journal", "verify", back])
        #expect(await verify.exitStatus() == 0)
        server = try await ServeProcess(document: document, data: back, port: port)
        try await increment(1, on: connection)
        try await wait(until: mirror, is: 7)
        #expect(mirror.position?.epoch == epoch)
        connection.close()
        #expect(await server.stop() == 0)
    }

    private func increment(_ count: Int, on connection: RemoteConnection) async throws {
        for _ in 0..<count {
            _ = try await connection.dispatch(type: "increment", payload: ["path": "/n"]).outcome
        }
    }

    private func wait(until mirror: RemoteStore<JSON>, is value: Int64) async throws {
        let states = mirror.states
        try await inTime("The mirror doesn't come to \(value).", naps: 3 * longestWait) {
            for await state in states where state == .int(value) { return }
        }
    }

    /// Runs the command as for clients that go on; what it prints.
    private func run(_ name: String, _ file: String, at nats: NATSCluster) async throws -> String {
        let command = try ChildProcess(
            "storecast", ["cluster", name, file, "--keep-epoch", "--cluster", nats.addresses],
            takesErrors: true)
        let lines = await command.allLines()
        #expect(await command.exitStatus() == 0)
        return lines.joined(separator: "\n")
    }
}
