import Glibc
import Logging
import StorecastServer

/// What this program does as a child: it says a port, and serves until its input ends.
enum ChildRole: String {
    /// A ``SyncServer`` with one room.
    case server
    /// The floor that fan-out is compared with: a loop of `send` over plain sockets.
    case sender

    static func run(_ name: String) async throws {
        DescriptorLimit.raise()
        switch ChildRole(rawValue: name) {
        case .server: try await serve()
        case .sender: try PlainSender.run()
        case nil: throw Failure("There is no role '\(name)'.")
        }
    }

    private static func serve() async throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        let server = SyncServer(port: 0, logger: logger, rooms: { _ in Desk.room })
        let url = try await server.start()
        print(url.split(separator: ":").last?.dropLast() ?? "")
        fflush(nil)
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        exit(0)
    }
}
