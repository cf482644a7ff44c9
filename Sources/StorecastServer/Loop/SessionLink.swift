import StorecastRoom
import StorecastWire

/// A session's way to its peer, on this loop or through another.
protocol SessionLink: ServerLink {
    var credentials: Credentials { get }
    var session: ServerSession? { get set }
    /// What went through it so far.
    var traffic: LinkTraffic { get set }
}

extension SessionLink {
    var peerNetwork: String { HostName(address: credentials.address).network }
}
