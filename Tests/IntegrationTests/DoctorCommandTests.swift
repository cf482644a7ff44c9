import Foundation
import StorecastSync
import TestSupport
import Testing

/// What `storecast doctor` says of servers that run, and how it ends.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct DoctorCommandTests {
    private func doctor(_ arguments: [String]) async throws -> (status: Int32?, lines: [String]) {
        let command = try ChildProcess("storecast", ["doctor"] + arguments, takesErrors: true)
        let status = await command.exitStatus()
        return (status, await command.allLines())
    }

    /// The verdict on each subject, in order.
    private func verdicts(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("Error") }.map { line in
            line.split(separator: " ").prefix(2).joined(separator: " ")
        }
    }

    @Test func `a server that is well has no failures`() async throws {
        let server = try await ServeProcess(document: "{}")
        let directory = try TemporaryDirectory()
        let (status, lines) = try await doctor([
            server.url, "--data", directory.file("a.sqlite"),
        ])
        #expect(status == 0, "\(lines)")
        let subjects = lines.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(
            subjects == [
                "descriptors", "clock", "disk", "space", "encryption", "healthz", "clock", "readyz",
                "WebSocket", "origin", "origin", "proxy",
            ])
        // Nothing is left behind.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        #expect(await server.stop() == 0)
    }

    @Test func `a site that isn't allowed, and a server that isn't there, are failures`()
        async throws
    {
        let server = try await ServeProcess(document: "{}")
        let site = try await doctor([server.url, "--origin", "https://app.example"])
        #expect(site.status == 1)
        #expect(
            site.lines.contains { $0.contains("allow it with --allow-origin https://app.exam") })
        #expect(site.lines.last == "Error: 1 failure of the server or its machine.")
        #expect(await server.stop() == 0)
        let nobody = try await doctor([server.url])
        #expect(nobody.status == 1)
        #expect(nobody.lines.contains { $0.hasPrefix("failure  connection") })
    }

    @Test func `without a URL it is about this machine and the settings`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("config.json")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        try write(#"{"data": "\#(directory.file("a.sqlite"))", "limits": {"connections": 10}}"#)
        let good = try await doctor(["--config", file])
        #expect(good.status == 0, "\(good.lines)")
        #expect(
            good.lines.first?.hasSuffix("for 10 connections, which take two each.") == true)
        try write(#"{"data": "/nowhere/a.sqlite", "tokens": "\#(directory.file("none"))"}"#)
        let bad = try await doctor(["--config", file])
        #expect(bad.status == 1)
        #expect(verdicts(bad.lines).suffix(2) == ["failure disk", "failure tokens"])
        try write(#"{"dta": "a"}"#)
        let wrong = try await doctor(["--config", file])
        #expect(wrong.status == 1)
        #expect(verdicts(wrong.lines) == ["failure settings"])
        #expect(wrong.lines.first?.contains("'dta'") == true, "\(wrong.lines)")
    }

    @Test func `help is that of the command, whatever is set elsewhere`() async throws {
        let serve = try ChildProcess("storecast", ["serve", "--help"], takesErrors: true)
        #expect(await serve.exitStatus() == 0)
        #expect(await serve.allLines().first?.contains("Serve the example board") == true)
        let wrong = try ChildProcess("storecast", ["serve", "--port", "x"], takesErrors: true)
        #expect(await wrong.exitStatus() == 64)
    }

    private static let unusable: [(setting: String, content: String?, subject: String)] = [
        ("rules", #"{"rules": [{"path": "/", "raed": true}]}"#, "rules"), ("rules", nil, "rules"),
        ("json", "{", "document"), ("json", nil, "document"), ("pages", nil, "pages"),
        ("tokens", "[7]", "tokens"), ("jwt-keys", nil, "JWT keys"),
        ("devtools-token", "short", "devtools"), ("data", "This is no database.", "journal"),
        ("audit-log", nil, "audit log"), ("operations", "nowhere.invalid:1", "operations"),
    ]

    @Test(arguments: unusable)
    func `settings with which a server doesn't start are failures, each with its subject`(
        setting: String, content: String?, subject: String
    ) async throws {
        let directory = try TemporaryDirectory()
        // A file of the content, or none; but for an address.
        let file = directory.file(content == nil ? "none/none" : "file")
        if let content { try Data(content.utf8).write(to: URL(filePath: file)) }
        let value = setting == "operations" ? content ?? "" : file
        var settings: JSONObject = [
            "rooms": .array(["/"]), "data": .string(directory.file("a.sqlite")), "port": 0,
        ]
        settings[setting] = .string(value)
        let config = directory.file("config.json")
        try Data("\(JSON.object(settings))".utf8).write(to: URL(filePath: config))
        let (status, lines) = try await doctor(["--config", config])
        #expect(status == 1)
        #expect(lines.contains { $0.hasPrefix("failure  \(subject) ") }, "\(lines)")
        let server = try ChildProcess(
            "storecast", ["serve", "--config", config], takesErrors: true)
        #expect(await server.exitStatus() != 0)
    }
}
