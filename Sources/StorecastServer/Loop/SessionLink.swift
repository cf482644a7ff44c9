import StorecastSync
import StorecastWire

/// A session's way to its peer, on this loop or through another.
protocol SessionLink: ServerLink {
    var id: UInt64 { get }
    var credentials: Credentials { get }
    var session: ServerSession? { get }
    /// Whether it takes messages now.
    var isWritable: Bool { get }
    /// Sends messages, in one piece.
    func write(_ messages: [ServerMessage])
}
