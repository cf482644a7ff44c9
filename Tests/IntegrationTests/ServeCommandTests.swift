import Foundation
import StorecastClient
import Testing
import TestSupport

/// How `storecast serve` fails, and what it leaves.
@Suite(.timeLimit(.minutes(10)))
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
                "Error: The tokens in '\(file)' can't be read: element 0 has a 'token' of fewer "
                    + "than 16 bytes."
            ])
    }
}

extension RemoteConnection.Status {
    /// Why it was closed.
    fileprivate var code: Rejection.Code? {
        if case .closed(let rejection?) = self { rejection.code } else { nil }
    }
}
