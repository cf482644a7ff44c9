import Example
import Glibc
import StorecastClient
import Testing
import TestSupport

/// `storecast journal` on a file that `storecast serve` writes.
@Suite(.timeLimit(.minutes(10)))
@MainActor struct JournalCommandTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("board.sqlite")
    }

    @Test func `what a server writes is followed beside it`() async throws {
        let server = try await ServeProcess(data: file)
        let connection = RemoteConnection(server.url)
        defer { connection.close() }
        try await say("One", on: connection)
        let log = try ChildProcess(
            "storecast", ["journal", "log", file, "--type", "Say", "--follow"])
        #expect(await log.line(1)?.hasSuffix(#"  Say {"text":"One"}"#) == true)
        try await say("Two", on: connection)
        #expect(await log.line(2)?.hasSuffix(#"  Say {"text":"Two"}"#) == true)
        log.signal(SIGTERM)
        let verify = try ChildProcess("storecast", ["journal", "verify", file])
        #expect(await verify.exitStatus() == 0)
        connection.close()
        #expect(await server.stop() == 0)
    }

    @Test func `a document's history is known from its file`() async throws {
        let server = try await ServeProcess(document: #"{"tea":1}"#, data: file)
        let connection = RemoteConnection(server.url)
        defer { connection.close() }
        for _ in 1...2 {
            let more = connection.dispatch(
                type: "increment", payload: ["path": "/tea", "by": 2])
            _ = try await more.outcome
        }
        let diff = try ChildProcess("storecast", ["journal", "diff", file, "0", "2"])
        #expect(await diff.allLines() == ["~ /tea  1 → 5"])
        connection.close()
        #expect(await server.stop() == 0)
    }

    @Test func `copies that are killed beside a server that is killed have all that was acked`()
        async throws
    {
        let (copies, restored) = (directory.file("copies"), directory.file("restored.sqlite"))
        for round in 1...4 {
            let server = try await ServeProcess(document: #"{"log":[]}"#, data: file)
            let copier = try ChildProcess(
                "storecast", ["journal", "replicate", file, copies, "--interval", "5ms"])
            let connection = RemoteConnection(server.url)
            defer { connection.close() }
            for number in 1...20 {
                _ = try await connection.dispatch(
                    type: "append",
                    payload: ["path": "/log", "value": .int(Int64(20 * round + number))]
                ).outcome
            }
            connection.close()
            // The last one ends when everything is copied.
            copier.signal(round < 4 ? SIGKILL : SIGTERM)
            #expect(await copier.exitStatus() == (round < 4 ? -SIGKILL : 0))
            server.process.signal(SIGKILL)
            _ = await server.process.exitStatus()
        }
        let restore = try ChildProcess("storecast", ["journal", "restore", copies, restored])
        #expect(await restore.exitStatus() == 0)
        let all = try await state(of: file)
        #expect(all.contains("21") && all.contains("100"), "\(all)")
        #expect(try await state(of: restored) == all)
    }

    private func state(of file: String) async throws -> String {
        let command = try ChildProcess("storecast", ["journal", "state", file])
        return await command.allLines().joined()
    }

    private func say(_ text: String, on connection: RemoteConnection) async throws {
        _ = try await connection.dispatch(type: "Say", payload: ["text": .string(text)]).outcome
    }
}
