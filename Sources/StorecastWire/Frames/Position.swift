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
        left.version == right.version && left.epoch.isSameText(as: right.epoch)
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
