import Foundation

/// A `nats-server` of this machine, which ends with this object.
///
/// Unchecked `Sendable`: one test at a time starts and ends it.
package final class NATSProcess: @unchecked Sendable {
    /// Made by the README's test command.
    private static let command = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/python/bin/nats-server").path

    package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: command) }

    package let directory: TemporaryDirectory
    /// 0 while it doesn't run.
    private var process: pid_t = 0
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

    deinit { kill() }

    package var address: String { "nats://127.0.0.1:\(port)" }

    /// Starts it again, with what it kept.
    package func start() async throws {
        try spawn()
        let file = directory.file("nats-server_\(process).ports")
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

    /// Not with Foundation's `Process`: a test that waits for the end of one blocks its thread, for
    /// as long as any process that was started at the same moment has the same descriptors open.
    private func spawn() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // glibc declares it only for GNU sources.
        typealias CloseFrom =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
        }
        let arguments = [Self.command, "-c", directory.file("configuration")]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        let code = posix_spawn(&process, Self.command, &actions, nil, &words, environ)
        guard code == 0 else {
            process = 0
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }

    /// Sends a signal; after SIGSTOP it stands still when this returns.
    package func send(_ signal: Int32) {
        guard process > 0 else { return }
        Foundation.kill(process, signal)
        if signal == SIGSTOP { while waitpid(process, nil, WUNTRACED) < 0, errno == EINTR {} }
    }

    /// Ends it at once.
    package func kill() {
        guard process > 0 else { return }
        send(SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        process = 0
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
