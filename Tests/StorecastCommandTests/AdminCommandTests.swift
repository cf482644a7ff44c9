import ArgumentParser
import Foundation
import StorecastServer
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// What the options of `storecast admin` are taken for, and what it prints.
@Suite(.fewAtATime) struct AdminCommandTests {
    @Test(
        arguments: [
            ("localhost:9090", "ws://localhost:9090/devtools"),
            ("wss://board.example", "wss://board.example/devtools"),
            ("http://127.0.0.1:9090/devtools/", "ws://127.0.0.1:9090/devtools"),
            ("https://example.org/board/", "wss://example.org/board/devtools"),
        ])
    func `the devtools are found at the server's address`(url: String, room: String) throws {
        #expect(try AdminCommand.Reload.parse([url]).server.room == room)
    }

    @Test func `the token is from a file or the environment, and no error shows it`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("token")
        // As `serve` reads it.
        try "it-is-from-the-file \n\n".write(toFile: file, atomically: true, encoding: .utf8)
        let named = try AdminCommand.Reload.parse(["localhost:1", "--token-file", file]).server
        let environment = ["STORECAST_DEVTOOLS_TOKEN": "from-the-environment"]
        #expect(try named.token(environment: environment) == "it-is-from-the-file")
        let other = try AdminCommand.Reload.parse(["localhost:1"]).server
        #expect(try other.token(environment: environment) == "from-the-environment")
        let failure = #expect(throws: CommandFailure.self) { try other.token(environment: [:]) }
        #expect(failure?.description.contains("STORECAST_DEVTOOLS_TOKEN") == true)
        try "short\n".write(toFile: file, atomically: true, encoding: .utf8)
        let short = #expect(throws: CommandFailure.self) { try named.token(environment: [:]) }
        #expect(short?.description.contains("at least 16 characters") == true)
    }

    /// A devtools' room in which each action is over, and stands there once more as if it weren't,
    /// before somebody else's.
    private struct Dispatches: Codable, Sendable {
        struct Outcome: Codable, Equatable, Sendable {
            var ticket: String
            var isOver: Bool
            var ended: Int?
        }

        struct Kick: SyncAction {
            static let wireName = "kick"
            var ticket: String
        }

        var outcomes: [Outcome] = []

        static let list = Selection("dispatches") { (dispatches: Dispatches) in
            dispatches.outcomes
        }

        static let room = RoomDefinition(
            state: Dispatches(), actions: [Kick.self], selections: [list]
        ) { dispatches, action in
            guard let kick = action as? Kick else { return }
            dispatches.outcomes = [
                Outcome(ticket: kick.ticket, isOver: true, ended: 2),
                Outcome(ticket: kick.ticket, isOver: false),
                Outcome(ticket: "another's", isOver: true, ended: 3),
            ]
        }
    }

    @MainActor @Test func `what an action came to is said of one that is over`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("token")
        try "the-token-of-a-test\n".write(toFile: file, atomically: true, encoding: .utf8)
        let server = SyncServer(
            port: 0, rooms: { path in path == "/devtools" ? Dispatches.room : nil })
        let url = try await server.start()
        let options = try AdminCommand.Reload.parse([url, "--token-file", file]).server
        let outcome = try await options.use { try await $0.perform("kick") }
        #expect(AdminTable.ended(outcome) == "2 connections ended")
        await server.stop()
    }

    @Test(arguments: [
        ["kick", "localhost:1"], ["kick", "localhost:1", "--connection", "-1"],
        ["kick", "localhost:1", "--connection", "1", "--identity", "ada"],
        ["revoke", "localhost:1"], ["revoke", "localhost:1", "ada", "--list"],
        ["revoke", "localhost:1", "--list", "--undo"], ["rooms"], ["rooms", "ftp://a"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try AdminCommand.parseAsRoot(arguments) }
    }

    @Test func `a room that isn't open is named, with those that are, if all are known`() {
        func said(_ room: String, total: Int64 = 2) -> String? {
            let open: JSON = [["room": "/a"], ["room": "/b"]]
            let rooms: JSON = ["rooms": open, "total": .int(total)]
            return AdminCommand.Connections.failure(of: room, in: rooms)?.description
        }
        #expect(said("/a") == nil && said("/b") == nil)
        #expect(said("/c") == "No room '/c' is open; these are: /a, /b.")
        #expect(said("/c", total: 3) == nil, "It may be the third.")
        let none = AdminCommand.Connections.failure(of: "/", in: ["rooms": [], "total": 0])
        #expect(none?.description == "No room '/' is open; none is.")
        // Another spelling of what looks the same is another room.
        #expect(
            AdminCommand.Connections.failure(
                of: "/e\u{301}", in: ["rooms": [["room": "/é"]], "total": 1]) != nil)
    }

    @Test func `rooms and connections are a line each, and nothing in a name breaks it`() {
        let rooms: JSON = [
            "rooms": [
                [
                    "room": "/a\nb", "version": 12, "clients": 3, "lag": 0,
                    "actionsPerSecond": 2.6, "phase": "ready",
                ]
            ], "total": 5,
        ]
        let lines = AdminTable.rooms(rooms, asJSON: false)
        #expect(lines.count == 3)
        #expect(
            lines[1].split(separator: " ").map(String.init)
                == ["12", "3", "0", "3", "ready", "/a\\nb"])
        #expect(lines[2] == "and 4 more")
        let connections: JSON = [
            "connections": [
                ["connection": 17, "room": "/", "identity": "a\u{202E}b", "address": "::1"],
                ["connection": 18, "room": "/", "identity": "", "address": "10.0.0.1"],
            ], "total": 2,
        ]
        let table = AdminTable.connections(connections, asJSON: false)
        #expect(table.count == 3)
        #expect(
            table[1].split(separator: " ").map(String.init)
                == ["17", "::1", #"a\u202eb"#, "/"])
        #expect(table[2].split(separator: " ")[2] == "-")
        #expect(AdminTable.connections(connections, asJSON: true).count == 2)
        #expect(AdminTable.ended(["ended": 1]) == "1 connection ended")
    }
}
