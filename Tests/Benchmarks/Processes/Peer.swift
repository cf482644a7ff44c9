import MeasureSupport

/// Bare uWebSockets (`Peer/uwebsockets.cpp`), which Storecast is measured beside.
enum Peer: String {
    /// Sends each message back.
    case echo
    /// Sends each message to all other connections.
    case broadcast

    static let flag = "--peer"
    static let label = "bare uWebSockets"

    /// The program, from the command line.
    static let path: String? = Given.text(flag)

    /// The peer in this role, or nil if there is no program.
    func start() throws -> ChildProcess? {
        try Self.path.map { try ChildProcess(program: $0, ["peer", rawValue]) }
    }
}
