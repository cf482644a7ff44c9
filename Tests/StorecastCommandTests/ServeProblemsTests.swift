import ArgumentParser
import Foundation
import Logging
import StorecastServer
import StorecastTools
import Synchronization
import TestSupport
import Testing

@testable import StorecastCommand

/// What `storecast serve` says of settings that make no sense, of files that it can't use, and of
/// those that it is to take while it runs.
struct ServeProblemsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func inCluster(_ more: String...) -> [String] {
        ["--cluster", "nats://localhost", "--nats-replicas", "1", "--edge-key", "k"] + more
    }

    private static func farAway(_ more: String...) -> [String] {
        ["--cluster", "nats://a", "--edge-key", "k"] + more
    }

    private static func atEdge(_ more: String...) -> [String] {
        ["--upstream", "ws://a", "--edge-key", "k"] + more
    }

    @Test(
        arguments: [
            (["--port", "65536"], "A port is a number from 0 to 65535; 65536 isn't."),
            (["--tls-certificate", "a"], "Encryption needs both files"),
            (["--tls-key", "a"], "Encryption needs both files"),
            (["--operations", "a:b"], "'a:b' is no address for --operations"),
            (["--operations", "a:65536"], "'a:65536' is no address for --operations"),
            (["--operations", ":1"], "':1' is no address for --operations"),
            (["--operations=-1"], "'-1' is no address for --operations"),
            (["--tokens", "a", "--jwt-keys", "b"], "leave out --tokens or --jwt-keys"),
            (["--nats", "a", "--memory"], "With --nats there is no --memory"),
            (["--nats", "a", "--data", "b"], "With --nats there is no --data"),
            (["--nats", "a", "--durability", "process"], "With --nats there is no --durability"),
            (inCluster("--data", "a"), "With --cluster there is no --data"),
            (["--nats", "a", "--cluster", "b"], "--cluster is --nats and more"),
            (["--cluster-address", "a:1"], "needs --cluster"),
            (["--nats-ca", "a"], "Where is NATS?"), (["--nats-user", "a"], "Where is NATS?"),
            (
                ["--nats", "a", "--nats-token", "a", "--nats-credentials", "b"],
                "NATS takes one kind of credentials"
            ),
            (["--nats", "a", "--nats-user", "ada"], "Where is the password of ada?"),
            (["--upstream-ca", "a"], "--upstream-ca is about --upstream or --cluster"),
            (
                ["--cluster", "nats://localhost", "--nats-replicas", "1"],
                "The servers of a cluster show one another a key"
            ),
            (farAway(), "Where do the others reach this server?"),
            // It may have others elsewhere: there are three replicas.
            (
                ["--cluster", "nats://localhost", "--edge-key", "k"],
                "Where do the others reach this server?"
            ),
            (farAway("--cluster-address", "a"), "'a' isn't a server's address"),
            (farAway("--cluster-address", "127.0.0.1:7"), "is a loopback address"),
            (farAway("--cluster-address", "wss://a:7"), "needs a certificate"),
            (["--upstream", "ws://a"], "An edge shows its upstream a key"),
            (atEdge("--memory"), "leave out --memory, or --upstream"),
            (atEdge("--data", "a"), "leave out --data, or --upstream"),
            (atEdge("--json", "a"), "leave out --json, or --upstream"),
            (atEdge("--rules", "a"), "leave out --rules, or --upstream"),
            (atEdge("--nats", "a"), "leave out --nats, or --upstream"),
            (["--rooms", "/devtools", "--devtools"], "/devtools is where the devtools are"),
            (["--rules", "a"], "Rules are about JSON documents"),
            (["--host", "0.0.0.0"], "leave out --host, or add --demo"),
            (["--rate=-1"], "A rate is 0 or more; -1 isn't."),
            (["--limit", "connections"], "'connections' has no '='"),
            (["--document-bytes", "0"], "A document has 1 to "),
            (["--keep-snapshots", "0"], "At least one snapshot is kept"),
            (["--memory", "--data", "a"], "With --memory there is no --data"),
            (["--memory", "--durability", "machine"], "With --memory there is no --durability"),
            (["--jwt-issuer", "a"], "Who signs the tokens?"),
            (["--jwt-audience", "a"], "Who signs the tokens?"),
            (["--pages-policy", "x"], "A policy is for pages of your own"),
            (["--pages", "a", "--pages-policy", ""], "The policy of the pages is a line of ASCII"),
        ] as [([String], String)])
    func `what makes no sense is refused for the reason that it has`(
        arguments: [String], words: String
    ) {
        let error = #expect(throws: (any Error).self) { try ServeCommand.parse(arguments) }
        let message = error.map { ServeCommand.message(for: $0) } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test(
        arguments: [
            ("9464", "127.0.0.1", 9464), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:65535", "::1", 65535),
            ("host:7", "host", 7),
        ] as [(String, String, Int)])
    func `health and metrics are at a port of this machine's, or where it is said`(
        text: String, host: String, port: Int
    ) throws {
        let address = try #require(
            try ServeCommand.parse(["--operations", text]).operationsAddress)
        #expect(address.host == host && address.port == port)
        #expect(try ServeCommand.parse([]).operationsAddress == nil)
    }

    // MARK: Files

    private func subjects(_ arguments: [String]) async throws -> [String] {
        let problems = try await ServeCommand.parse(arguments).problems([:])
        for problem in problems { #expect(!problem.sentence.isEmpty) }
        return problems.map(\.subject)
    }

    @Test func `each file that can't be used is named by what it is for`() async throws {
        let none = directory.file("none")
        #expect(try await subjects(["--memory"]) == [])
        for (arguments, subject) in [
            (["--tls-certificate", none, "--tls-key", none], "certificate"),
            (["--tokens", none], "tokens"), (["--jwt-keys", none], "JWT keys"),
            (["--json", none], "document"), (["--devtools-token", none], "devtools"),
            (["--pages", none], "pages"), (["--edge-key", none], "edge"),
            (["--audit-log", directory.file("none/audit.jsonl")], "audit log"),
        ] as [([String], String)] {
            #expect(try await subjects(["--memory"] + arguments) == [subject])
        }
        #expect(
            try await subjects(["--memory", "--rooms", "/a", "--rules", none]) == ["rules"])
        #expect(
            try await subjects(["--nats", "nats://a", "--nats-token", none]) == ["NATS"])
        // All of them, and in this order; nothing was written.
        #expect(
            try await subjects([
                "--audit-log", directory.file("none/audit.jsonl"), "--json", none, "--tokens", none,
                "--data", directory.path,
            ]) == ["tokens", "document", "journal", "audit log"])
        #expect(directory.names == [])
    }

    // MARK: Reload

    private func file(_ text: String) throws -> String {
        let path = directory.file("config.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func level(_ name: String) throws -> SharedLogLevel {
        SharedLogLevel(try #require(LogLevel(argument: name)).level)
    }

    @Test func `without a file nothing is taken again`() async throws {
        #expect(try await ServeReload(["--port", "1"], environment: [:]) == nil)
        let path = try file("{}")
        #expect(try await ServeReload(["--config", path], environment: [:]) != nil)
        #expect(try await ServeReload([], environment: ["STORECAST_CONFIG": path]) != nil)
    }

    @Test func `what holds now is taken, and all or nothing of it`() async throws {
        let path = try file(#"{"log-level": "error"}"#)
        let reload = try #require(
            try await ServeReload(["--config", path], environment: [:]))
        let server = SyncServer(port: 0, rooms: { _ in nil })
        let level = try level("info")
        try await reload(server, level)
        #expect("\(level.value)" == "error")
        _ = try file(#"{"log-level": "debug"}"#)
        try await reload(server, level)
        #expect("\(level.value)" == "debug")
        for wrong in ["{", #"{"log-level": "loud"}"#, #"{"log-level": "trace", "prt": 1}"#] {
            _ = try file(wrong)
            let failure = await #expect(throws: CommandFailure.self) {
                try await reload(server, level)
            }
            #expect(failure?.status == .trouble)
            #expect(failure?.description.hasPrefix("The settings stay as they are. ") == true)
            #expect(failure?.description.contains("\n") == false)
            #expect("\(level.value)" == "debug")
        }
        // An argument still goes before it.
        _ = try file(#"{"log-level": "trace"}"#)
        let given = try #require(
            try await ServeReload(
                ["--config", path, "--log-level", "notice"], environment: [:]))
        try await given(server, level)
        #expect("\(level.value)" == "notice")
    }

    @Test(
        arguments: [
            (#"{"port": 1}"#, []), (#"{"port": 2}"#, ["port"]), ("{}", ["port"]),
            (#"{"port": 1, "host": "127.0.0.1"}"#, ["host"]),
            (#"{"port": 2, "memory": true}"#, ["memory", "port"]),
            (#"{"port": 1, "allow-origin": ["https://a"], "log-level": "error"}"#, []),
            (#"{"port": 1, "drain-timeout": 1}"#, []),
        ] as [(String, [String])])
    func `what waits for the next start is what is otherwise, and isn't taken at once`(
        now: String, expected: [String]
    ) async throws {
        func rows(_ text: String) async throws -> [Settings.Row] {
            let arguments = ["--config", try file(text)]
            return try await Settings(arguments, of: ServeCommand.self, environment: [:]).rows
        }
        let before = try await rows(#"{"port": 1}"#)
        let waiting = ServeReload.waiting(try await rows(now), since: before)
        #expect(waiting.sorted() == expected)
    }

    @Test func `limits and rates aren't among them, as the server itself says which it takes`() {
        let rows = ["rate", "limit frame", "limits", "port"].map {
            Settings.Row(name: $0, value: "1", source: .arguments)
        }
        #expect(ServeReload.waiting(rows, since: []) == ["limits", "port"])
        var others = rows
        others[3].value = "2"
        #expect(ServeReload.waiting(others, since: rows) == ["port"])
        #expect(ServeReload.waiting(rows, since: rows) == [])
    }

    // MARK: Logs

    /// Keeps what it is given, with the level that it has itself.
    private struct NotingLog: LogHandler {
        final class Notes: Sendable {
            let texts = Mutex<[String]>([])
        }

        let notes: Notes
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        init(_ notes: Notes) { self.notes = notes }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            notes.texts.withLock { $0.append("\(logLevel) \(event.message)") }
        }
    }

    @Test func `loggers go by the level that holds now, unless they have one of their own`() {
        let (notes, level) = (NotingLog.Notes(), SharedLogLevel(.error))
        let logger = Logger(label: "test") { _ in LeveledLogHandler(NotingLog(notes), level) }
        #expect(logger.logLevel == .error)
        logger.info("1")
        level.set(.info)
        #expect(logger.logLevel == .info)
        logger.info("2")
        var own = logger
        own.logLevel = .warning
        own[metadataKey: "a"] = "b"
        level.set(.trace)
        own.info("3")
        logger.trace("4")
        #expect(own.logLevel == .warning && logger.logLevel == .trace)
        #expect(own[metadataKey: "a"] == "b" && logger[metadataKey: "a"] == nil)
        // What is behind it takes all.
        #expect(notes.texts.withLock(\.self) == ["trace 2", "trace 4"])
    }

    @Test func `each level has its name, and there are no others`() {
        #expect(
            LogLevel.allValueStrings == [
                "trace", "debug", "info", "notice", "warning", "error", "critical",
            ])
        for name in LogLevel.allValueStrings {
            #expect(LogLevel(argument: name)?.defaultValueDescription == name)
        }
        #expect(LogLevel(argument: "Info") == nil)
    }
}
