/// What the server adds to a ``Stamped`` action.
public struct Stamp: Sendable, Equatable, Codable {
    /// Unique in the room: derived from the client's id and the dispatch's number, so that the
    /// provisional id of an optimistic client equals the final one.
    public var id: String
    /// Who dispatched the action.
    public var sender: Identity
    /// When the server received the action.
    public var time: Timestamp
    /// A random number, drawn by the server, the same at every replay.
    public var seed: UInt64

    /// A generator that starts at ``seed``.
    public var random: SeededGenerator { SeededGenerator(seed: seed) }

    /// An empty stamp: no id, an anonymous sender, 1970, seed 0.
    public init() {
        self.init(id: "", sender: .anonymous, time: Timestamp(secondsSince1970: 0), seed: 0)
    }

    /// A stamp with every part given; for tests and tools.
    public init(id: String, sender: Identity, time: Timestamp, seed: UInt64) {
        self.id = id
        self.sender = sender
        self.time = time
        self.seed = seed
    }

    /// Reads nothing: a stamp is never taken from a payload.
    public init(from decoder: any Decoder) throws {
        self.init()
    }

    /// Writes an empty object, where a coder other than the keyed containers' asks for one.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKeys.self)
    }

    private enum NoKeys: CodingKey {}
}

extension KeyedDecodingContainer {
    /// Takes precedence in synthesised conformances: a payload's stamp is never read.
    public func decode(_ type: Stamp.Type, forKey key: Key) throws -> Stamp {
        Stamp()
    }
}

extension KeyedEncodingContainer {
    /// Takes precedence in synthesised conformances: a stamp is never written.
    public mutating func encode(_ value: Stamp, forKey key: Key) throws {}
}
