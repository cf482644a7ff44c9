import Foundation

/// A `nats-server` of this machine, which ends with this object.
package final class NATSProcess: @unchecked Sendable {
    /// Made by the README's test command.
    private static let command = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/python/bin/nats-server").path

    package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: command) }

    package let directory: TemporaryDirectory
    private var process = Process()
    package private(set) var port = 0

    /// Starts one, which writes to the disk at once, and waits until it listens.
    ///
    /// - Parameter settings: lines of its configuration.
    package init(_ settings: String = "", port: Int = -1, jetStream: Bool = true) async throws {
        directory = try TemporaryDirectory()
        let store = directory.file("jetstream")
        try """
        listen: "127.0.0.1:\(port)"
        ports_file_dir: "\(directory.path)"
        \(jetStream ? "jetstream { store_dir: \"\(store)\", sync_interval: always }" : "")
        \(settings)
        """.write(toFile: directory.file("configuration"), atomically: true, encoding: .utf8)
        try await start()
    }

    deinit { kill(SIGKILL) }

    package var address: String { "nats://127.0.0.1:\(port)" }

    /// Starts it again, with what it kept.
    package func start() async throws {
        process = Process()
        process.executableURL = URL(filePath: Self.command)
        process.arguments = ["-c", directory.file("configuration")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        let file = directory.file("nats-server_\(process.processIdentifier).ports")
        struct Ports: Decodable { var nats: [String] }
        var found: Int?
        // Until it is there, whole.
        _ = await eventually {
            let data = FileManager.default.contents(atPath: file) ?? Data()
            let ports = try? JSONDecoder().decode(Ports.self, from: data)
            found = ports?.nats.first?.split(separator: ":").last.flatMap { Int($0) }
            return found != nil
        }
        guard let found else { throw TooLate(description: "nats-server doesn't start.") }
        port = found
    }

    package func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    /// Ends it and waits for that.
    package func kill(_ signal: Int32 = SIGKILL) {
        guard process.isRunning else { return }
        send(signal)
        process.waitUntilExit()
    }
}

/// Three `nats-server`s that are one cluster.
package final class NATSCluster: Sendable {
    package let servers: [NATSProcess]
    private let ports: [HeldPort]

    /// Starts them, and waits until each listens; they meet later.
    package init() async throws {
        let ports = try (0..<6).map { _ in try HeldPort(isShared: true) }
        self.ports = ports
        let routes = ports[3...].map { "\"nats://127.0.0.1:\($0.number)\"" }
            .joined(separator: ", ")
        var servers: [NATSProcess] = []
        for place in 0..<3 {
            let settings = """
                server_name: "n\(place)"
                cluster {
                    name: "c", listen: "127.0.0.1:\(ports[3 + place].number)", routes: [\(routes)]
                }
                """
            servers.append(try await NATSProcess(settings, port: ports[place].number))
        }
        self.servers = servers
    }

    /// The addresses of all.
    package var addresses: String { servers.map(\.address).joined(separator: ",") }
}
