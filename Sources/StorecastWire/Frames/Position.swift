/// A point in a room's history.
///
/// On the wire `{"epoch": …, "v": …}`. A position survives a restart of the server; positions of
/// different epochs can't be compared.
public struct Position: Hashable, Codable, Sendable {
    /// The random id of the room's history.
    public var epoch: String
    /// How many dispatches had been reduced, 0 … 2⁵³ − 1.
    public var version: UInt64

    /// A point in the history `epoch`.
    public init(epoch: String, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }

    /// Whether both are the same point of one history.
    public static func == (left: Position, right: Position) -> Bool {
        left.version == right.version && left.isOfSameHistory(as: right)
    }

    /// Whether both are points of one history: only then do their versions say which is later.
    package func isOfSameHistory(as other: Position) -> Bool {
        epoch.isSameText(as: other.epoch)
    }

    /// Whether it is the later of two points of one history.
    package func isLater(than other: Position) -> Bool {
        isOfSameHistory(as: other) && version > other.version
    }

    /// Hashes the epoch's bytes and the version.
    public func hash(into hasher: inout Hasher) {
        epoch.hashText(into: &hasher)
        hasher.combine(version)
    }

    private enum CodingKeys: String, CodingKey {
        case epoch
        case version = "v"
    }
}

/// The constants of version 1 of the protocol.
public enum ProtocolVersion {
    /// What `hello` and `welcome` say in `proto`.
    public static let number = 1
    /// The WebSocket subprotocol (RFC 6455, section 1.9).
    public static let subprotocol = "storecast.v1"
    /// The largest integer in a protocol field: what every JSON implementation reads exactly
    /// (RFC 8259, section 6).
    package static let largestInteger: UInt64 = 1 << 53 - 1
}
