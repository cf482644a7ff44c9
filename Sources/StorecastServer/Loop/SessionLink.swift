import StorecastSync
import StorecastWire

/// A session's way to its peer, on this loop or through another.
protocol SessionLink: ServerLink {
    var id: UInt64 { get }
    var credentials: Credentials { get }
    var session: ServerSession? { get }
    /// What went through it so far.
    var traffic: LinkTraffic { get set }
    /// Whether it takes messages now.
    var isWritable: Bool { get }
    /// Sends messages, in one piece.
    func write(_ messages: [ServerMessage])
}

extension SessionLink {
    var peerNetwork: String { HostName(address: credentials.address).network }
}
