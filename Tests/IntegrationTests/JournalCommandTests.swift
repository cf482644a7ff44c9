import Example
import Foundation
import Glibc
import StorecastClient
import Testing
import TestSupport

/// `storecast journal` on a file that `storecast serve` writes.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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
                "storecast", ["journal", "replicate", file, copies, "--interval", "5ms"],
                takesErrors: true)
            // From then on a signal ends it when everything is copied.
            #expect(await copier.line(0)?.hasPrefix("Copying '\(file)'") == true)
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

    @Test func `a copier begins generations, and removes them, as often as it is told to`()
        async throws
    {
        try await writeFile()
        let first = try await copied()
        #expect(first.count == 1)
        #expect(try await copied() == first)
        #expect(try await copied("--generation", "1ms").count == 2)
        let all = try await copied("--generation", "1ms")
        #expect(all.count == 3)
        // The newest that is old enough stays, to restore what happened since.
        let rest = try await copied("--generation", "1ms", "--keep", "1ms")
        #expect(rest.count == 2)
        #expect(rest.first == all.last)
    }

    @Test func `a copier's command that fails gets the segment again, not before the interval`()
        async throws
    {
        try await writeFile()
        let (spool, store) = (directory.file("spool"), directory.file("store"))
        let replicate = ["journal", "replicate", file, spool, "--command"]
        let failing = try ChildProcess(
            "storecast", replicate + ["exit 3", "--interval", "1h"], takesErrors: true)
        let problem = try #require(await failing.line(1))
        #expect(problem.hasPrefix("The command ended with status 3 for '"))
        #expect(problem.hasSuffix("It is tried again in 1:00:00."))
        // It tries once more, and ends with that.
        failing.signal(SIGTERM)
        #expect(try await inTime { await failing.exitStatus() } == 2)
        let again = try ChildProcess("storecast", replicate + ["exit 3", "--once"])
        #expect(await again.exitStatus() == 2)
        let target = "\"\(store)/$NAME\""
        let working = try ChildProcess(
            "storecast",
            replicate + [
                "mkdir -p \"$(dirname \(target))\" && cp \"$FILE\" \(target)", "--once",
            ])
        #expect(await working.exitStatus() == 0)
        let restored = directory.file("restored.sqlite")
        let restore = try ChildProcess("storecast", ["journal", "restore", store, restored])
        #expect(await restore.exitStatus() == 0)
        let all = try await state(of: file)
        #expect(all.contains("log"), "\(all)")
        #expect(try await state(of: restored) == all)
    }

    @Test func `an export that finds no room for its last bytes says so, and fails`() async throws {
        try await writeFile()
        let storecast = ChildProcess.products.appending(path: "storecast").path
        let export = try ChildProcess(
            "/bin/sh",
            ["-c", "'\(storecast)' journal export '\(file)' 2>&1 > /dev/full"])
        #expect(
            await export.allLines()
                == ["Error: Standard output can't be written: No space left on device."])
        #expect(await export.exitStatus() == 2)
    }

    /// Has a server write a journal with one action.
    private func writeFile() async throws {
        let server = try await ServeProcess(document: #"{"log":[]}"#, data: file)
        let connection = RemoteConnection(server.url)
        defer { connection.close() }
        let one = connection.dispatch(type: "append", payload: ["path": "/log", "value": .int(1)])
        _ = try await one.outcome
        connection.close()
        #expect(await server.stop() == 0)
    }

    /// Copies the file into a folder; the generations that are there then.
    private func copied(_ options: String...) async throws -> [String] {
        let copies = directory.file("copies")
        let copier = try ChildProcess(
            "storecast", ["journal", "replicate", file, copies, "--once"] + options)
        #expect(await copier.exitStatus() == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: copies)
        return names.filter { $0.first?.isNumber == true }.sorted()
    }

    private func state(of file: String) async throws -> String {
        let command = try ChildProcess("storecast", ["journal", "state", file])
        return await command.allLines().joined()
    }

    private func say(_ text: String, on connection: RemoteConnection) async throws {
        _ = try await connection.dispatch(type: "Say", payload: ["text": .string(text)]).outcome
    }
}
