import Foundation
import StorecastClient
import Testing
import TestSupport

/// A real server whose reducer traps at an action, started again as often as it takes.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct TrappingReducerTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("trap.sqlite")
    }

    @Test func `an action that ends the process is skipped after three crashes, and no other`()
        async throws
    {
        var server = try await TrappingProcess(file)
        let client = Writer(server.url)
        _ = try await client.write("before").outcome
        let poison = client.connection.dispatch(type: "Poison", payload: [:])
        let behind = client.write("behind")
        try await crash(&server, times: 3)
        client.connection.reconnect()
        let rejection = await #expect(throws: Rejection.self) { try await poison.outcome }
        #expect(rejection?.code == .internal)
        _ = try await behind.outcome
        let line = await server.line(with: "WITHOUT this action")
        #expect(line?.contains("offset 2 (Poison)") == true)
        #expect(await server.stop() == 0)
        #expect(directory.names == ["trap.sqlite"])
        server = try await TrappingProcess(file, port: server.port)
        _ = await server.line(with: "listening")
        client.connection.reconnect()
        _ = try await client.write("after").outcome
        #expect(try await client.lines() == ["before", "behind", "after"])
        #expect(await server.stop() == 0)
        client.close()
        let log = try TrappingProcess.run("journal", "log", file)
        #expect(await log.allLines().filter { $0.contains("Poison {} – internal") }.count == 1)
        let verify = try TrappingProcess.run("journal", "verify", file)
        #expect(
            await verify.allLines().contains { $0.contains("at offset 2 (Poison) is skipped") })
    }

    @Test func `a room that is to stop isn't opened, others are, until its action is skipped`()
        async throws
    {
        var server = try await TrappingProcess(file, afterCrashes: "stop")
        let (client, other) = (Writer(server.url), Writer(server.url + "b"))
        _ = try await client.write("before").outcome
        let poison = client.connection.dispatch(type: "Poison", payload: [:])
        try await crash(&server, times: 3)
        let line = try #require(await server.line(with: "storecast journal skip"))
        #expect(line.contains("offset 2 (Poison) of room '/'"))
        _ = try await other.write("elsewhere").outcome
        client.connection.reconnect()
        for await status in client.connection.statuses {
            if case .offline(let outage) = status, outage.reason.contains("can't open") { break }
        }
        #expect(await server.stop() == 0)
        let skip = try TrappingProcess.run("journal", "skip", file, "--offset", "2")
        #expect(await skip.exitStatus() == 0)
        server = try await TrappingProcess(file, port: server.port, afterCrashes: "stop")
        _ = await server.line(with: "listening")
        client.connection.reconnect()
        let rejection = await #expect(throws: Rejection.self) { try await poison.outcome }
        #expect(rejection?.code == .internal)
        #expect(try await client.lines() == ["before"])
        #expect(await server.stop() == 0)
        client.close()
        other.close()
    }

    @Test func `a command that reduces says at which entry it ended`() async throws {
        var server = try await TrappingProcess(file)
        let client = Writer(server.url)
        _ = client.connection.dispatch(type: "Poison", payload: [:])
        try await crash(&server, times: 1)
        client.close()
        server.process.signal(SIGKILL)
        _ = await server.process.exitStatus()
        let errors = directory.file("errors.txt")
        let verify = try TrappingProcess.run("journal", "verify", file, errors: errors)
        #expect(await verify.exitStatus().map { $0 < 0 } == true)
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(text.contains("The entry at offset 1 of room '/' ended this program"), "\(text)")
    }

    /// Waits for so many crashes, each followed by a start.
    private func crash(_ server: inout TrappingProcess, times: Int) async throws {
        for _ in 0..<times {
            let status = try #require(await server.process.exitStatus())
            #expect([-SIGILL, -SIGTRAP].contains(status))
            server = try await TrappingProcess(
                file, port: server.port, afterCrashes: server.afterCrashes)
            _ = await server.line(with: "listening")
        }
    }
}

/// `TrappingServer` on a port of its own.
@MainActor private struct TrappingProcess {
    let process: ChildProcess
    let port: Int
    let afterCrashes: String

    /// - Parameter port: nil for any, and then it is waited for.
    init(_ file: String, port: Int? = nil, afterCrashes: String = "skip") async throws {
        self.afterCrashes = afterCrashes
        process = try Self.run(file, "\(port ?? 0)", afterCrashes)
        if let port {
            self.port = port
        } else {
            let line = try #require(
                await Self.line(of: process, with: "listening on ws://127.0.0.1:"))
            let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber } ?? ""
            self.port = try #require(Int(digits))
        }
    }

    /// Starts the program, which is beside the tests themselves, without backtraces: they take
    /// long.
    static func run(_ arguments: String..., errors: String = "/dev/stderr") throws -> ChildProcess {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "TrappingServer").path
        let command = #"export SWIFT_BACKTRACE=enable=no; exec 2> "$0" "$@""#
        return try ChildProcess("/bin/sh", ["-c", command, errors, program] + arguments)
    }

    var url: String { "ws://127.0.0.1:\(port)/" }

    /// The first line of its log that has the text; nil if it ended without.
    func line(with text: String) async -> String? { await Self.line(of: process, with: text) }

    /// Asks it to stop, once it listens; its exit status.
    func stop() async -> Int32? {
        _ = await line(with: "listening")
        process.signal(SIGTERM)
        return await process.exitStatus()
    }

    private static func line(of process: ChildProcess, with text: String) async -> String? {
        for index in 0... {
            guard let line = await process.line(index) else { return nil }
            if line.contains(text) { return line }
        }
        return nil
    }
}

/// A client of one of the rooms.
@MainActor private struct Writer {
    let connection: RemoteConnection

    init(_ url: String) {
        connection = RemoteConnection(url)
    }

    func write(_ text: String) -> Dispatch {
        connection.dispatch(type: "Write", payload: ["text": .string(text)])
    }

    /// What the room has now.
    func lines() async throws -> [String] {
        let store = RemoteStore<JSON>(selection: "all", parameters: nil, on: connection)
        for await state in store.states where !state.isNull {
            return (state.array ?? []).compactMap(\.string)
        }
        return []
    }

    func close() { connection.close() }
}
