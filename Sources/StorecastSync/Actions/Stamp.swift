/// An action that the server completes with who sent it, when, and a random seed.
///
/// Declare `var stamp = Stamp()` in the action. The stamp is never read from a payload nor written
/// to one, so that a client can't forge it; the journal keeps it beside the payload. It is how a
/// deterministic reducer gets time, identity and randomness.
public protocol Stamped: SyncAction {
    /// The server's stamp; on a client, before the server has answered, a provisional one.
    var stamp: Stamp { get set }
}

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

/// The id of the action that a client dispatched as its `seq`th: 26 lower-case letters and digits.
///
/// A function of what both sides know, so that a client can show the final id before the server
/// has answered: 128 bits of a SHA-256 digest. Everyone sees it, and the client's id, which is a
/// secret, can't be worked out from it.
package func stampID(client: String, seq: UInt64, index: Int = 0) -> String {
    let digest = SHA256.digest(of: "\(client)/\(seq)/\(index)".utf8)
    let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(26)
    var bits: UInt32 = 0
    var count = 0
    // 26 digits of 5 bits hold the first 130 bits.
    for byte in digest[..<17] where text.count < 26 {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 5, text.count < 26 {
            count -= 5
            text.append(digits[Int(bits >> UInt32(count) & 31)])
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// A client's public id: the stamp id that its dispatch 0 would have, as numbers begin at 1.
package func participantID(of client: String) -> String {
    stampID(client: client, seq: 0)
}
