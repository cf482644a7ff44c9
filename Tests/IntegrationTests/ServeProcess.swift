import Foundation
import Testing
import TestSupport

/// `storecast serve` on a free port, with a temporary directory of its own; what happens in it is
/// lost with the process, unless a test names a file.
final class ServeProcess: Sendable {
    let process: ChildProcess
    let url: String
    private let directory: TemporaryDirectory

    /// Starts it with a schemaless room that holds `document`, or with the example board.
    ///
    /// - Parameters:
    ///   - data: the file to keep what happens in; nil for memory.
    ///   - nats: the addresses of three NATS servers to keep it at instead.
    ///   - cluster: the same, shared with the other servers of them.
    ///   - edgeKey: the file of what edges are let in by.
    ///   - upstream: the URL of the server whose edge this is; nil if it has the rooms itself.
    ///   - tokens: the file of tokens; nil to believe names.
    ///   - devtoolsToken: the file of the devtools' token; nil for none.
    init(
        document: String? = nil, data: String? = nil, nats: String? = nil,
        cluster: String? = nil, port: UInt16 = 0, edgeKey: String? = nil, upstream: String? = nil,
        tokens: String? = nil,
        devtoolsToken: String? = nil
    ) async throws {
        directory = try TemporaryDirectory()
        var arguments = [
            "serve", "--port", "\(port)", "--log-level", "error", "--rate", "0",
        ]
        arguments += edgeKey.map { ["--edge-key", $0] } ?? []
        if let upstream {
            arguments += ["--upstream", upstream]
        } else {
            arguments +=
                nats.map { ["--nats", $0] } ?? cluster.map { ["--cluster", $0] }
                ?? data.map { ["--data", $0] } ?? ["--memory"]
        }
        arguments += tokens.map { ["--tokens", $0] } ?? []
        arguments += devtoolsToken.map { ["--devtools-token", $0] } ?? []
        if let document {
            let file = directory.file("document.json")
            try Data(document.utf8).write(to: URL(filePath: file))
            arguments += ["--json", file]
        }
        process = try ChildProcess("storecast", arguments)
        let line = try #require(await process.line(0), "The server ended before it listened.")
        url = try #require(
            line.hasPrefix("listening on ws://127.0.0.1:")
                ? String(line.dropFirst("listening on ".count)) : nil,
            "The server's line is '\(line)'.")
    }

    deinit { process.signal(SIGKILL) }

    /// The port it listens on.
    var port: UInt16 {
        UInt16(url.dropLast().split(separator: ":").last ?? "") ?? 0
    }

    /// Asks it to stop; its exit status.
    func stop() async -> Int32? {
        process.signal(SIGTERM)
        return await process.exitStatus()
    }
}
