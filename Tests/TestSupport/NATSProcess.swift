import Foundation
import TestSupport

/// A `nats-server` of this machine, which ends with this object.
final class NATSProcess: @unchecked Sendable {
    /// Made by the README's test command.
    private static let command = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/python/bin/nats-server").path

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: command) }

    let directory: TemporaryDirectory
    private var process = Process()
    private(set) var port = 0

    /// Starts one, and waits until it listens.
    ///
    /// - Parameter settings: lines of its configuration.
    init(_ settings: String = "", port: Int = -1) async throws {
        directory = try TemporaryDirectory()
        try """
        listen: "127.0.0.1:\(port)"
        ports_file_dir: "\(directory.path)"
        jetstream { store_dir: "\(directory.file("jetstream"))" }
        \(settings)
        """.write(toFile: directory.file("configuration"), atomically: true, encoding: .utf8)
        try await start()
    }

    deinit { kill(SIGKILL) }

    var address: String { "nats://127.0.0.1:\(port)" }

    /// Starts it again, with what it kept.
    func start() async throws {
        process = Process()
        process.executableURL = URL(filePath: Self.command)
        process.arguments = ["-c", directory.file("configuration")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        let file = directory.file("nats-server_\(process.processIdentifier).ports")
        let isThere = await eventually { FileManager.default.fileExists(atPath: file) }
        struct Ports: Decodable { var nats: [String] }
        guard isThere, let data = FileManager.default.contents(atPath: file),
            let address = try JSONDecoder().decode(Ports.self, from: data).nats.first,
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw TooLate(description: "nats-server doesn't start.") }
        self.port = port
    }

    func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    /// Ends it and waits for that.
    func kill(_ signal: Int32 = SIGKILL) {
        guard process.isRunning else { return }
        send(signal)
        process.waitUntilExit()
    }
}
