import ArgumentParser
import Glibc
import StorecastServer
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// What `storecast dispatch` says of the lines that it reads.
@Suite(.fewAtATime) struct DispatchCommandTests {
    /// A tally that only goes up.
    struct Tally: Codable, Sendable {
        struct Add: SyncAction { var number: Int }

        var count = 0

        static let room = RoomDefinition(
            state: Tally(), actions: [Add.self], selections: []
        ) { tally, action in
            if let add = action as? Add { tally.count += add.number }
        }
        .validate(Add.self) { _, add, _ in
            if add.number < 0 { throw Rejection(.invalid, "Only up.") }
        }
    }

    /// Makes this the standard input, of which more may come; returns the end to which one writes.
    private static func standardInput(_ text: String) -> Int32 {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        dup2(ends[0], STDIN_FILENO)
        write(ends[1], text, text.utf8.count)
        return ends[1]
    }

    @MainActor private static func run(_ url: String) async {
        do {
            try await DispatchCommand.parse([url]).run()
            StandardError.write("done")
        } catch {
            StandardError.write("failed: \(error)")
        }
    }

    /// Runs the command with this standard input, which stays open or ends, and ends its connection
    /// for good when an action has come: a server at the same address has no rooms.
    ///
    /// The first server takes one action in 1,000 seconds: another one has no outcome yet.
    @MainActor static func dispatchToTheEnd(_ input: String, staysOpen: Bool) async throws {
        alarm(60)
        let more = standardInput(input)
        if !staysOpen { close(more) }
        var limits = SyncLimits()
        limits.connectionRate = SyncRate(
            messages: .infinity, bytes: .infinity, actions: 0.001, burst: 1000)
        let first = SyncServer(port: 0, limits: limits, room: Tally.room)
        let url = try await first.start()
        let command = Task { await run(url) }
        let room = try await first.room("/", of: Tally.self)
        let hasCome = try await eventually { try await room.withStore { $0.state.count } == 1 }
        try #require(hasCome, "No action comes.")
        await first.stop()
        let port = try #require(url.dropLast().split(separator: ":").last.flatMap { Int($0) })
        let second = SyncServer(port: port, rooms: { _ in nil })
        _ = try await second.start()
        try await inTime("The command goes on.") { await command.value }
        await second.stop()
    }

    @Test(arguments: [
        ("Add {\"number\":1}\n", true), ("Add {\"number\":1}\nAdd {", true),
        ("Add {\"number\":1}\nAdd {\"number\":1}\n", false),
    ])
    func `a connection that the server ends ends it too, whatever it waits for`(
        input: String, staysOpen: Bool
    ) async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { [input, staysOpen] in
            try await DispatchCommandTests.dispatchToTheEnd(input, staysOpen: staysOpen)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("failed: The server ended the connection: "), "\(text)")
    }

    /// Runs the command with this standard input; what is left of the tally, and the failure, go to
    /// standard error as well.
    @MainActor static func dispatch(_ input: String) async throws {
        alarm(20)
        close(standardInput(input))
        let server = SyncServer(port: 0, room: Tally.room)
        let url = try await server.start()
        await run(url)
        let room = try await server.room("/", of: Tally.self)
        StandardError.write("count \(try await room.withStore { $0.state.count })")
        await server.stop()
    }

    /// Runs the command with more lines than may be without an outcome, of which the first and the
    /// last are rejected.
    @MainActor static func dispatchMany() async throws {
        let (good, bad) = ("Add {\"number\":1}\n", "Add {\"number\":-1}\n")
        try await dispatch(bad + String(repeating: good, count: 1198) + bad)
    }

    @Test func `of many lines every outcome is waited for, also of the last`() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await DispatchCommandTests.dispatchMany()
        }
        expectSaid(
            [
                "line 1: rejected (invalid): Only up.", "line 1200: rejected (invalid): Only up.",
                "failed: 2 of 1200 actions rejected.", "count 1198",
            ], result.standardErrorContent)
    }

    /// Runs the command at a terminal, where somebody types an action and Ctrl-D.
    @MainActor static func dispatchAtTerminal() async throws {
        alarm(20)
        var (screen, end) = (0 as Int32, 0 as Int32)
        try #require(openpty(&screen, &end, nil, nil, nil) == 0)
        dup2(end, STDIN_FILENO)
        let typed = "Add {\"number\":1}\n\u{4}"
        write(screen, typed, typed.utf8.count)
        let server = SyncServer(port: 0, room: Tally.room)
        await run(try await server.start())
        await server.stop()
    }

    @Test func `at a terminal it says that it waits for lines`() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await DispatchCommandTests.dispatchAtTerminal()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { line in
            ["waiting", "line ", "failed: ", "done"].contains { line.hasPrefix($0) }
        }
        #expect(lines == [Substring(DispatchCommand.invitation), "done"], "\(text)")
    }

    @Test(
        arguments: [
            ("", ["done", "count 0"]),
            ("Add {\"number\":1}\n\nAdd {\"number\":2}\n", ["done", "count 3"]),
            (
                "Add {\"number\":-1}\n",
                [
                    "line 1: rejected (invalid): Only up.", "failed: 1 of 1 actions rejected.",
                    "count 0",
                ]
            ),
            (
                "\nAdd {\"number\":1}\n  \t\n\nAdd {\"number\":-1}\n\r\nNone\nAdd {\"number\":2}",
                [
                    "line 5: rejected (invalid): Only up.",
                    "line 7: rejected (unknown-action): ",
                    "failed: 2 of 4 actions rejected.", "count 3",
                ]
            ),
            (
                "\n\nAdd {\n\nAdd {\"number\":1}\n{\"payload\":{}}\n\nAdd {\"number\":-1}\n",
                [
                    "line 3: ", "line 6: The action has no type",
                    "line 8: rejected (invalid): Only up.",
                    "failed: 2 of the lines can't be read; the others were dispatched.",
                    "count 1",
                ]
            ),
        ])
    func `lines are numbered as an editor does, empty ones too`(
        input: String, said: [String]
    ) async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { [input] in
            try await DispatchCommandTests.dispatch(input)
        }
        expectSaid(said, result.standardErrorContent)
    }

    /// Whether the lines on standard error that are the command's own begin like these.
    private func expectSaid(_ said: [String], _ content: [UInt8]) {
        let text = String(decoding: content, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { line in
            ["line ", "failed: ", "done", "count ", "waiting"].contains { line.hasPrefix($0) }
        }
        #expect(lines.count == said.count, "\(text)")
        for (line, beginning) in zip(lines, said) {
            #expect(line.hasPrefix(beginning), "\(text)")
        }
    }
}
