import Foundation
import StorecastClient
import Testing
import TestSupport

/// How `storecast serve` fails, and what it leaves.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ServeCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a port in use is said once, and no file is left`() async throws {
        let server = try await ServeProcess()
        let second = try ChildProcess(
            "storecast",
            ["serve", "--port", "\(server.port)", "--data", directory.file("new.sqlite")]
                + ["--log-level", "error"], takesErrors: true)
        #expect(await second.exitStatus() == 2)
        #expect(
            await second.allLines() == [
                "Error: Can't listen on 127.0.0.1:\(server.port): Address already in use. "
                    + "Choose another port (0 for any free one) or stop what uses it."
            ])
        #expect(directory.names.isEmpty)
        #expect(await server.stop() == 0)
    }

    @Test func `a service manager is told that it is ready when it is, and nothing if it isn't`()
        async throws
    {
        let name = directory.file("notify")
        let manager = try NotifySocket(name)
        func serve(_ port: UInt16) throws -> ChildProcess {
            let storecast = ChildProcess.products.appending(path: "storecast").path
            return try ChildProcess(
                "/usr/bin/env",
                ["NOTIFY_SOCKET=\(name)", storecast, "serve", "--memory", "--port", "\(port)"],
                takesErrors: true)
        }
        let server = try await ServeProcess()
        #expect(try await serve(server.port).exitStatus() == 2)
        #expect(manager.heard() == nil)
        #expect(await server.stop() == 0)
        let other = try serve(0)
        var heard: String?
        let isReady = await eventually {
            heard = manager.heard()
            return heard != nil
        }
        #expect(isReady && heard == "READY=1")
        other.signal(SIGTERM)
        #expect(await other.exitStatus() == 0)
    }

    @Test func `tokens are read again at SIGHUP, and a file of another form changes nothing`()
        async throws
    {
        let file = directory.file("tokens.json")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        func row(_ name: String) -> String {
            #"{"token": "\#(name)-token-0123456789", "id": "\#(name)"}"#
        }
        try write("[\(row("ada")), \(row("bob"))]")
        let server = try await ServeProcess(tokens: file)
        func connect(_ name: String) -> RemoteConnection {
            RemoteConnection(server.url, token: { "\(name)-token-0123456789" })
        }
        let (ada, bob, eve) = (connect("ada"), connect("bob"), connect("eve"))
        #expect(try await eve.statuses.collected().last?.code == .unauthenticated)
        for connection in [ada, bob] {
            for await status in connection.statuses where status == .live { break }
        }
        try write("nonsense")
        server.process.signal(SIGHUP)
        try write("[\(row("bob")), \(row("eve"))]")
        server.process.signal(SIGHUP)
        // It comes back by itself, and is refused then.
        #expect(try await ada.statuses.collected().last?.code == .unauthenticated)
        #expect(bob.status == .live)
        let again = connect("eve")
        for await status in again.statuses where status == .live { break }
        for connection in [bob, again] { connection.close() }
        #expect(await server.stop() == 0)
    }

    @Test func `a file of tokens that can't be read is said, and nothing is served`() async throws {
        let file = directory.file("tokens.json")
        try Data(#"[{"token": "short", "id": "ada"}]"#.utf8).write(to: URL(filePath: file))
        let server = try ChildProcess(
            "storecast", ["serve", "--port", "0", "--memory", "--tokens", file], takesErrors: true)
        #expect(await server.exitStatus() == 2)
        #expect(
            await server.allLines() == [
                "Error: The tokens in '\(file)' can't be read: element 1 has a 'token' of fewer "
                    + "than 16 bytes."
            ])
    }

    @Test(
        arguments: [
            (["--allow-origin", "app.example"], "'app.example' isn't a site"),
            (["--trusted-proxy", "proxy"], "'proxy' isn't an address"),
            (["--limit", "conections=5"], "Is one of these meant: 'connections'"),
            (["--limit", "connections"], "'connections' has no '='"),
            (["--tls-key", "key.pem"], "--tls-certificate FILE --tls-key FILE"),
            (["--tls-certificate", "no.pem", "--tls-key", "no.key"], "'no.pem'"),
        ])
    func `what can't be trusted or used is said before anything is served`(
        arguments: [String], words: String
    ) async throws {
        let server = try ChildProcess(
            "storecast", ["serve", "--port", "0", "--memory"] + arguments, takesErrors: true)
        #expect(await server.exitStatus() != 0)
        #expect(await server.allLines().joined(separator: "\n").contains(words))
    }

    @Test func `the log is JSON if that is asked for, and on SIGHUP the audit log is made anew`()
        async throws
    {
        let audit = directory.file("audit.jsonl")
        let server = try ChildProcess(
            "storecast",
            ["serve", "--port", "0", "--memory", "--log-format", "json", "--audit-log", audit],
            takesErrors: true)
        var url = ""
        for index in 0... {
            let line = try #require(await server.line(index))
            url = String(line.dropFirst("listening on ".count))
            if line.hasPrefix("listening on ") { break }
        }
        func dispatch() async throws {
            let connection = RemoteConnection(url, token: { "ada" })
            _ = try await connection.dispatch(type: "Say", payload: ["text": "Hi"]).outcome
            connection.close()
        }
        func text(_ path: String) -> String {
            (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        }
        try await dispatch()
        #expect(await eventually { text(audit).contains(#""type":"Say""#) })
        try FileManager.default.moveItem(atPath: audit, toPath: audit + ".1")
        server.signal(SIGHUP)
        #expect(await eventually { FileManager.default.fileExists(atPath: audit) })
        try await dispatch()
        server.signal(SIGTERM)
        #expect(await server.exitStatus() == 0)
        #expect(text(audit).contains(#""type":"Say""#))
        let said = await server.allLines().filter {
            !$0.hasPrefix("listening on ") && !$0.hasPrefix("in a browser: ")
        }
        let messages = try said.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["time"] is String && object?["level"] is String, "\(line)")
            return object?["message"] as? String ?? ""
        }
        #expect(messages.contains("keeping what happens in memory"))
        #expect(messages.count { $0 == "connection ended" } == 2)
        #expect(messages.contains("stopping"))
    }

    @Test(.enabled(if: Python.isThere, "needs .build/python: see the README's test command"))
    func `Prometheus reads its metrics`() async throws {
        let server = try ChildProcess(
            "storecast",
            ["serve", "--port", "0", "--memory", "--log-level", "error", "--operations", "0"])
        let url = try #require(await server.line(0)?.split(separator: " ").last.map(String.init))
        let metrics = try #require(await server.line(2)?.split(separator: " ").last)
        let connection = RemoteConnection(url, token: { "ada" })
        _ = try await connection.dispatch(type: "Say", payload: ["text": "Hi"]).outcome
        var lines: [String] = []
        // It has the counts of each second.
        #expect(
            try await eventually {
                let reader = try Python.start("metrics.py", [String(metrics)])
                lines = await reader.allLines()
                try #require(await reader.exitStatus() == 0)
                return lines.contains(
                    "counter storecast_actions_total outcome=taken,type=Say 1")
            }, "\(lines)")
        #expect(lines.contains("gauge storecast_connections - 1"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("histogram storecast_turn_seconds_bucket le=") })
        connection.close()
        server.signal(SIGTERM)
        #expect(await server.exitStatus() == 0)
    }

    @Test func `on SIGHUP settings are read again, and what can't be used changes nothing`()
        async throws
    {
        let file = directory.file("config.json")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        try write(#"{"port": 0, "memory": true, "log-level": "error"}"#)
        let server = try ChildProcess("storecast", ["serve", "--config", file], takesErrors: true)
        var index = 0
        func line(with text: String) async throws -> String {
            while true {
                let line = try #require(await server.line(index))
                index += 1
                if line.contains(text) { return line }
            }
        }
        _ = try await line(with: "listening on ")
        try write(
            """
            {"port": 1, "memory": true, "log-level": "info", "allow-origin": "https://a.example",
            "limits": {"connections": 5, "window": 5}}
            """)
        server.signal(SIGHUP)
        _ = try await line(with: "settings reloaded")
        #expect(
            try await line(with: "take effect at").contains("next start: port, limit window."))
        try write(#"{"prot": 0}"#)
        server.signal(SIGHUP)
        #expect(
            try await line(with: "The settings stay as they are.").contains(
                "There is no setting 'prot'"))
        server.signal(SIGTERM)
        _ = try await line(with: "stopping")
        #expect(await server.exitStatus() == 0)
    }

    @Test func `on SIGHUP the certificate is read again, and clients stay`() async throws {
        let (certificates, other) = (try TestCertificates(), try TestCertificates())
        let server = try ChildProcess(
            "storecast",
            ["serve", "--port", "0", "--memory", "--log-level", "info"]
                + ["--tls-certificate", certificates.certificate, "--tls-key", certificates.key],
            takesErrors: true)
        func line(_ words: String) async throws -> String {
            var index = 0
            while true {
                let line = try #require(
                    await server.line(index), "The server didn't write '\(words)'.")
                if line.contains(words) { return line }
                index += 1
            }
        }
        let url = String(try await line("listening on wss://").dropFirst("listening on ".count))
        func client(trusting root: String) -> RemoteConnection {
            RemoteConnection(url, transport: WebSocketTransport(trusting: root))
        }
        // Be it at the second attempt, on a busy machine.
        func comesIn(_ connection: RemoteConnection) async {
            for await status in connection.statuses where status == .live { break }
        }
        func isTurnedAway(_ connection: RemoteConnection) async -> Bool {
            for await status in connection.statuses {
                if case .offline = status { return true }
                if status == .live { return false }
            }
            return false
        }
        let early = client(trusting: certificates.root)
        await comesIn(early)
        let stranger = client(trusting: other.root)
        #expect(await isTurnedAway(stranger))
        stranger.close()
        try certificates.replace(by: other)
        server.signal(SIGHUP)
        _ = try await line("certificate reloaded")
        let late = client(trusting: other.root)
        await comesIn(late)
        try Data("broken".utf8).write(to: URL(filePath: certificates.certificate))
        server.signal(SIGHUP)
        _ = try await line("The certificate in")
        let later = client(trusting: other.root)
        await comesIn(later)
        #expect(early.status == .live)
        for connection in [early, late, later] { connection.close() }
        server.signal(SIGTERM)
        #expect(await server.exitStatus() == 0)
    }
}

extension RemoteConnection.Status {
    /// Why it was closed.
    fileprivate var code: Rejection.Code? {
        if case .closed(let rejection?) = self { rejection.code } else { nil }
    }
}
