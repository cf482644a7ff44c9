import Foundation
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand
@testable import StorecastRoom
@testable import StorecastServer

/// What of its settings a server takes while it runs.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct ServeReloadTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("config.json")
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test(
        arguments: [
            ("", ["sites": ""]),
            (#""allow-origin": ["https://b.example", "https://c.example"]"#, ["sites": "b c"]),
            (#""allow-origin": "https://a.example", "log-level": "error""#, ["level": "error"]),
            (
                #""allow-origin": "https://a.example", "limits": {"connections": 5}"#,
                ["connections": "5"]
            ),
            (#""allow-origin": "https://a.example", "rate": 7"#, ["rate": "7.0"]),
            (
                #""allow-origin": "https://a.example", "drain-timeout": "3s""#,
                ["drain": "3.0 seconds"]
            ),
        ] as [(String, [String: String])])
    func `each setting that a running server takes is the file's now, and the others stay`(
        now: String, changes: [String: String]
    ) async throws {
        try write(#"{"allow-origin": "https://a.example"}"#)
        let reload = try #require(try await ServeReload(["--config", path], environment: [:]))
        let command = try await Settings(
            ["--config", path], of: ServeCommand.self, environment: [:]
        ).command()
        let server = SyncServer(
            port: 0, allowedOrigins: ["https://a.example"], limits: try command.limits,
            rooms: { _ in nil })
        _ = try await server.start()
        let home = try #require(server.home(of: "/"))
        let level = SharedLogLevel(try #require(LogLevel(argument: "info")).level)
        func settings() async -> [String: String] {
            var settings = await home.settings
            settings["level"] = "\(level.value)"
            return settings
        }
        let before = await settings()
        #expect(before["sites"] == "a")
        try write("{\(now)}")
        try await reload(server, level)
        let after = before.merging(changes) { $1 }
        #expect(await settings() == after)
        // Of what can't be used nothing is taken.
        for wrong in [
            "{", #"{"allow-origin": "https://d.example", "log-level": "loud"}"#,
            #"{"allow-origin": "https://d.example", "limits": {"connections": "many"}}"#,
            #"{"allow-origin": "https://d.example", "limits": {"conections": 1}}"#,
            #"{"allow-origin": "d.example", "log-level": "trace", "rate": 3}"#,
        ] {
            try write(wrong)
            await #expect(throws: CommandFailure.self) { try await reload(server, level) }
            #expect(await settings() == after, "\(wrong)")
        }
        await server.stop()
    }

    @Test func `what comes from the environment stays, with the file that it names`() async throws {
        let environment = ["STORECAST_CONFIG": path, "STORECAST_RATE": "7"]
        try write(#"{"allow-origin": "https://a.example"}"#)
        let reload = try #require(try await ServeReload([], environment: environment))
        let command = try await Settings([], of: ServeCommand.self, environment: environment)
            .command()
        let server = SyncServer(
            port: 0, allowedOrigins: command.allowOrigin, limits: try command.limits,
            rooms: { _ in nil })
        _ = try await server.start()
        let home = try #require(server.home(of: "/"))
        try write(#"{"allow-origin": "https://b.example"}"#)
        try await reload(
            server, SharedLogLevel(try #require(LogLevel(argument: "info")).level))
        let settings = await home.settings
        #expect(settings["sites"] == "b" && settings["rate"] == "7.0")
        await server.stop()
    }
}

extension ServerLoop {
    /// What the loop goes by of that which may change, as texts.
    fileprivate var settings: [String: String] {
        guard let configuration = core?.configuration else { return [:] }
        let sites = ["a", "b", "c", "d"].filter {
            configuration.origins.admits("https://\($0).example")
        }
        let limits = configuration.limits
        return [
            "sites": sites.joined(separator: " "), "connections": "\(limits.connections)",
            "rate": "\(limits.connectionRate.actions)", "drain": "\(limits.drainTimeout)",
        ]
    }
}
