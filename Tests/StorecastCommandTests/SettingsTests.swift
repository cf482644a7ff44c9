import ArgumentParser
import Foundation
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand
@testable import StorecastRoom

/// Where the settings of `storecast serve` come from, and which of them holds.
struct SettingsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ text: String) throws -> String {
        let path = directory.file("config.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func settings(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> Settings {
        try await Settings(arguments, of: ServeCommand.self, environment: environment)
    }

    private func command(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> ServeCommand {
        try ServeCommand.parse(try await settings(arguments, environment).arguments)
    }

    private func failure(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async -> String {
        do {
            _ = try await settings(arguments, environment)
            return "none"
        } catch { return "\(error)" }
    }

    @Test func `an option goes before the environment, and that before the file`() async throws {
        let path = try file(#"{"port": 1, "host": "127.0.0.1", "log-level": "error"}"#)
        let environment = ["STORECAST_PORT": "2", "STORECAST_HOST": "127.0.0.2"]
        let command = try await command(["--config", path, "--port", "3"], environment)
        #expect(command.port == 3)
        #expect(command.host == "127.0.0.2")
        #expect("\(command.logLevel.level)" == "error")
        #expect(try await self.command(["--config=" + path], environment).port == 2)
        #expect(try await self.command([], ["STORECAST_CONFIG": path]).port == 1)
        #expect(try await self.command().port == 9090)
    }

    @Test func `what there may be several of is a list, and whoever gives one gives all`()
        async throws
    {
        let path = try file(#"{"allow-host": ["a.example", "b.example"]}"#)
        #expect(try await command(["--config", path]).allowHost == ["a.example", "b.example"])
        let environment = ["STORECAST_ALLOW_HOST": "c.example,d.example"]
        #expect(
            try await command(["--config", path], environment).allowHost
                == ["c.example", "d.example"])
        #expect(
            try await command(["--config", path, "--allow-host", "e.example"], environment)
                .allowHost == ["e.example"])
    }

    @Test func `a flag is true or false`() async throws {
        let path = try file(#"{"memory": true, "devtools": false}"#)
        let command = try await command(["--config", path])
        #expect(command.data.memory && command.devtools.devtools == false)
        #expect(
            try await self.command([], ["STORECAST_DEVTOOLS": "true"]).devtools.devtools == true)
        #expect(
            try await self.command(["--no-devtools"], ["STORECAST_DEVTOOLS": "true"])
                .devtools.devtools == false)
        #expect(
            await failure([], ["STORECAST_MEMORY": "perhaps"])
                == "'memory' is true or false, not 'perhaps'.")
    }

    @Test func `limits add up, and what is set last holds`() async throws {
        let path = try file(
            #"{"limits": {"connections": 5, "message-bytes": "64 KiB", "depth": 7}}"#)
        let environment = ["STORECAST_LIMIT_CONNECTIONS": "6", "STORECAST_LIMIT_DEPTH": "8"]
        let arguments = ["--config", path, "--limit", "depth=9"]
        let limits = try await command(arguments, environment).limits
        #expect(limits.connections == 6)
        #expect(limits.messageBytes == 65536)
        #expect(limits.depth == 9)
        let rows = try await settings(arguments, environment).table(limits, environment: [:])
        func row(_ name: String) -> String {
            (rows.first { $0.hasPrefix("limit \(name) ") } ?? "none")
                .split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: "|")
        }
        #expect(
            row("connections")
                == "limit connections|6|environment, STORECAST_LIMIT_CONNECTIONS")
        #expect(row("message-bytes") == "limit message-bytes|64 KiB|file, \(path)")
        #expect(row("depth") == "limit depth|9|argument")
        #expect(row("window") == "limit window|1024|default")
    }

    @Test(arguments: [
        ["--memory"], ["--nats", "nats://a"],
        ["--cluster", "nats://localhost", "--nats-replicas", "1", "--edge-key", "key"],
        ["--upstream", "ws://a", "--edge-key", "key"],
    ])
    func `who says where else it is kept doesn't get the file that is set elsewhere`(
        _ given: [String]
    ) async throws {
        let path = try file(#"{"data": "a.sqlite", "durability": "process"}"#)
        let command = try await command(["--config", path] + given)
        #expect(command.file == nil)
        #expect(command.data.data == nil && command.data.durability == nil)
        let environment = ["STORECAST_DATA": "a.sqlite"]
        #expect(try await self.command(given, environment).file == nil)
        #expect(try await self.command([], environment).file == "a.sqlite")
        #expect(try await self.command(["--config", path]).file == "a.sqlite")
    }

    @Test func `of settings that exclude one another the one that comes first holds`() async throws
    {
        let path = try file(
            #"{"cluster": "nats://localhost", "nats-replicas": 1, "cluster-address": "a:1", "#
                + #""edge-key": "key", "nats-ca": "a.pem", "tokens": "a.json", "json": "a.json"}"#)
        let cluster = try await command(["--config", path])
        #expect(cluster.nats.cluster != nil && cluster.tokens == "a.json")
        // What is beside it goes with it, and nothing else.
        let environment = ["STORECAST_JWT_KEYS": "b.json", "STORECAST_JWT_ISSUER": "b"]
        let settings = try await settings(["--config", path, "--data=a.sqlite"], environment)
        let file = try settings.command()
        #expect(file.file == "a.sqlite" && file.nats.cluster == nil)
        #expect(file.nats.clusterAddress == nil && file.nats.access.natsCa == nil)
        #expect(file.tokens == nil && file.jwt.jwtKeys == "b.json")
        #expect(file.json == "a.json")
        func lost(_ name: String) -> String {
            "'\(name)', which is set by '\(path)', doesn't count beside "
        }
        #expect(
            settings.overruled.sorted() == [
                lost("cluster") + "'data', which is an argument.",
                lost("cluster-address") + "'data', which is an argument.",
                lost("edge-key") + "'data', which is an argument.",
                lost("nats-ca") + "'data', which is an argument.",
                lost("tokens")
                    + "'jwt-keys', which is set by STORECAST_JWT_KEYS in the environment.",
            ])
        let memory = try await self.settings(["--memory"], ["STORECAST_DATA": "a.sqlite"])
        #expect(try memory.command().data.memory)
        #expect(
            memory.overruled
                == [
                    "'data', which is set by STORECAST_DATA in the environment, doesn't count beside "
                        + "'memory', which is an argument."
                ])
        // What is itself excluded excludes nothing.
        let edge = try await command(
            ["--config", path, "--memory"], ["STORECAST_UPSTREAM": "ws://a"])
        #expect(edge.edge.upstream == nil && edge.json == "a.json")
        let upstream = try await command(["--config", path, "--upstream", "ws://a"])
        #expect(upstream.edge.upstream == "ws://a" && upstream.json == nil)
    }

    @Test
    func `a server that isn't one of a cluster any more lets no edges in, unless it is told to`()
        async throws
    {
        let path = try file(
            #"{"cluster": "nats://localhost", "nats-replicas": 1, "edge-key": "key"}"#)
        #expect(try await command(["--config", path]).edge.edgeKey == "key")
        #expect(try await command(["--config", path, "--memory"]).edge.edgeKey == nil)
        let told = ["--config", path, "--memory", "--edge-key", "other"]
        #expect(try await command(told).edge.edgeKey == "other")
        // It is still shown to somebody.
        let edge = ["--config", path, "--upstream", "ws://a"]
        #expect(try await command(edge).edge.edgeKey == "key")
        // It was for edges from the beginning.
        _ = try file(#"{"data": "a.sqlite", "edge-key": "key"}"#)
        #expect(try await command(["--config", path, "--memory"]).edge.edgeKey == "key")
    }

    @Test(arguments: [
        ("STORECAST_DATA", "a.sqlite"), ("STORECAST_MEMORY", "true"),
        ("STORECAST_NATS", "nats://c"),
        ("STORECAST_UPSTREAM", "ws://c"), ("STORECAST_CLUSTER", "nats://c"),
    ])
    func `the environment and the file don't both say where rooms are`(
        variable: String, value: String
    ) async throws {
        let own = variable == "STORECAST_CLUSTER" ? "nats" : "cluster"
        let path = try file(
            #"{"\#(own)": "nats://a", "cluster-address": "b:1", "edge-key": "key"}"#)
        do {
            _ = try await settings(["--config", path], [variable: value]).command()
            Issue.record("One of them holds.")
        } catch {
            let sentence = try #require(error as? CommandFailure).description
            #expect(sentence.contains("'\(own)' is set by '\(path)'."))
            #expect(sentence.contains("is set by \(variable) in the environment."))
        }
    }

    @Test func `a flag that is off excludes nothing`() async throws {
        let path = try file(#"{"data": "a.sqlite"}"#)
        let command = try await command(["--config", path], ["STORECAST_MEMORY": "false"])
        #expect(command.file == "a.sqlite")
    }

    @Test func `settings of one place that exclude one another are refused, with the place`()
        async throws
    {
        func problem(_ given: [String], _ environment: [String: String]) async -> String {
            do {
                _ = try await settings(given, environment).command()
                return ""
            } catch {
                return (error as? CommandFailure)?.description ?? ServeCommand.message(for: error)
            }
        }
        let sentence = "With --nats there is no --data: leave one of them out."
        #expect(await problem(["--nats", "nats://a", "--data", "a"], [:]) == sentence)
        let environment = await problem(
            [], ["STORECAST_NATS": "nats://a", "STORECAST_DATA": "a"])
        #expect(environment.hasPrefix(sentence))
        #expect(environment.contains("'data' is set by STORECAST_DATA in the environment."))
        let path = try file(#"{"nats": "nats://a", "data": "a"}"#)
        let file = await problem(["--config", path], [:])
        #expect(file.hasPrefix(sentence) && file.contains("'nats' is set by '\(path)'."))
        // Also where the third one, which comes later, isn't looked at.
        #expect(
            await problem(["--config", path, "--nats", "nats://b", "--memory"], [:])
                == "With --nats there is no --memory: leave one of them out.")
    }

    @Test func `an error about a value says where it is set, if not by an argument`() async throws {
        func problem(_ given: [String], _ environment: [String: String] = [:]) async -> String {
            do {
                _ = try await Settings(given, of: ServeCommand.self, environment: environment)
                    .command()
                return ""
            } catch {
                return (error as? CommandFailure)?.description ?? ServeCommand.message(for: error)
            }
        }
        let port = "'port' is set by STORECAST_PORT in the environment."
        #expect(await problem([], ["STORECAST_PORT": "abc"]).hasSuffix(port))
        #expect(await problem([], ["STORECAST_PORT": "70000"]).isEmpty == false)
        #expect(await !problem(["--port", "abc"], ["STORECAST_HOST": "::1"]).contains("set by"))
        let path = try file(#"{"limits": {"connections": "many"}, "tls-key": "a"}"#)
        #expect(
            await problem(["--config", path]).hasSuffix("'tls-key' is set by '\(path)'."))
        _ = try file(#"{"limits": {"connections": "many"}}"#)
        #expect(
            await problem(["--config", path]).hasSuffix("'connections' is set by '\(path)'."))
        _ = try file(#"{"port": null}"#)
        #expect(await problem(["--config", path]) == "'port' in '\(path)' is null: leave it out.")
    }

    @Test func `what isn't known is an error that names the nearest`() async throws {
        let path = try file(#"{"prt": 1}"#)
        #expect(
            await failure(["--config", path])
                == "There is no setting 'prt', which is in '\(path)'. Is one of these meant: 'port'?"
        )
        _ = try file(#"{"limits": {"conections": 1}}"#)
        #expect(await failure(["--config", path]).contains("meant: 'connections'"))
        _ = try file(#"{"limits": 3}"#)
        #expect(
            await failure(["--config", path]) == "'limits' in '\(path)' has to be a JSON object.")
        _ = try file("[]")
        #expect(
            await failure(["--config", path])
                == "The configuration '\(path)' has to be a JSON object.")
        _ = try file("{")
        #expect(
            await failure(["--config", path]).hasPrefix("The configuration '\(path)' can't be"))
        #expect(
            await failure(["--config", "/none"])
                == "The configuration '/none' can't be read: No such file or directory.")
        #expect(
            await failure([], ["STORECAST_PROT": "1"])
                == "There is no setting 'STORECAST_PROT', which is in the environment. Is one of these "
                + "meant: 'STORECAST_PORT', 'STORECAST_HOST', 'STORECAST_JSON'?")
        // These are others'.
        #expect(
            await failure(
                [],
                [
                    "STORECAST_TOKEN": "x", "STORECAST_DEVTOOLS_TOKEN": "y", "PORT": "z",
                    "STORECAST_STORM_SCHEMA": "2",
                ])
                == "none")
    }

    @Test func `nothing of a token is shown`() async throws {
        let environment = ["STORECAST_DEVTOOLS_TOKEN": "sixteen or more characters"]
        let rows = try await settings([], environment)
            .table(SyncLimits(), environment: environment)
        let row = try #require(rows.first { $0.hasPrefix("devtools-token") })
        #expect(row.contains("(secret)") && row.hasSuffix("environment, STORECAST_DEVTOOLS_TOKEN"))
        #expect(!rows.joined().contains("sixteen"))
    }

    @Test func `names are believed on this machine's address only, unless with --demo`() {
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--host", "0.0.0.0"]) }
        for arguments in [["--demo"], ["--tokens", "a"], ["--jwt-keys", "a"]] {
            #expect(throws: Never.self) { try ServeCommand.parse(["--host", "::"] + arguments) }
        }
        for host in ["127.0.0.9", "::1", "localhost"] {
            #expect(throws: Never.self) { try ServeCommand.parse(["--host", host]) }
        }
    }

    // MARK: The reference

    @Test func `the reference has every option, its variable and its default`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/Reference.md"), encoding: .utf8)
        let section = try #require(
            page.split(separator: "\n## Options\n").last?.split(separator: "\n## ").first)
        let rows = section.matches(of: /\n\| `([a-z-]+)` \| ([^|]*) \| ([^|]*) \|/)
        let table = Settings.table(of: ServeCommand.self)
        #expect(
            Set(rows.map { String($0.output.1) })
                == Set(table.map(\.name) + ["config", "print-configuration"]))
        for setting in table where !["limit", "devtools-token"].contains(setting.name) {
            let row = try #require(rows.first { $0.output.1 == setting.name })
            #expect(row.output.2 == "`\(setting.variable ?? "")`")
            if let standard = setting.standard { #expect(row.output.3 == "`\(standard)`") }
        }
    }
}
