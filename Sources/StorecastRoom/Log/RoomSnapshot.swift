package import StorecastSync
import StorecastWire

/// All that a room's log has made of it: its state, and what it remembers of its clients.
///
/// A copy, to be written on another thread while the room goes on. Until it is released, the room's
/// next change copies each collection that it touches.
package struct RoomSnapshot<State: Codable & Sendable>: Sendable {
    package var state: State
    package var version: UInt64
    var ledger: ClientLedger
    /// The users of those who are in the room by the log, by their public ids.
    var present: [String: ExactString]
    var terms = RoomTerms()
}

extension RoomSnapshot {
    private static var format: Int { 1 }

    /// The snapshot as JSON text.
    ///
    /// ```json
    /// {"format":1,"schema":1,"version":12,"hash":"…","clients":{…},"present":{…},"terms":[…],
    ///     "state":{…}}
    /// ```
    /// `state` is in canonical form (RFC 8785, integers exact), and `hash` the SHA-256 of that
    /// text. Throws what the state's `encode(to:)` throws, and if the text is longer than could be
    /// read.
    package func encoded(schema: Int) throws -> [UInt8] {
        let state = try JSONCoding.encodeTree(state).canonicalBytes
        var writer = JSONWriter(reserving: state.count + 256)
        writer.beginObject()
        writer.member("format", Self.format)
        writer.member("schema", schema)
        writer.member("version", version)
        writer.member("hash", SHA256.hexadecimalDigest(of: state))
        writer.write(key: "clients")
        ledger.write(to: &writer)
        if !present.isEmpty {
            writer.write(key: "present")
            writer.beginObject()
            for (participant, user) in present.sorted(by: { $0.key < $1.key }) {
                writer.write(key: participant)
                writer.write(user.string)
            }
            writer.endObject()
        }
        if terms.current != nil {
            writer.write(key: "terms")
            terms.write(to: &writer)
        }
        writer.write(key: "state")
        writer.write(raw: state)
        writer.endObject()
        guard writer.bytes.count <= JSONLimits.largestText else {
            throw SnapshotError("It is larger than \(JSONLimits.largestText) bytes.")
        }
        return writer.bytes
    }

    /// Reads a snapshot and checks it whole: its version and hash, the ledger, and the state as the
    /// definition has it now.
    ///
    /// Throws what an upcaster or the state's `init(from:)` throws, and errors that say what is
    /// wrong.
    package init(
        _ kept: JournalSnapshot, of definition: RoomDefinition<State>, limits: SyncLimits
    ) throws {
        let root = try JSONDocument(kept.content, limits: .trusted).root
        guard root["format"]?.int == Self.format else {
            throw SnapshotError("Its format isn't \(Self.format).")
        }
        guard let schema = root["schema"]?.int, schema > 0, let state = root["state"],
            let clients = root["clients"]
        else { throw SnapshotError("It lacks schema, state or clients.") }
        guard root["version"]?.uint64 == kept.version else {
            throw SnapshotError("It isn't of version \(kept.version).")
        }
        let hash = state.withBytes { SHA256.hexadecimalDigest(of: $0) }
        guard root["hash"]?.string == hash else {
            throw SnapshotError("Its state doesn't have the hash that it gives.")
        }
        self.state = try definition.state(from: state, schema: schema)
        version = kept.version
        present = try root["present"].map { try JSONCoding.decode(from: $0) } ?? [:]
        terms = try root["terms"].map { try RoomTerms($0) } ?? RoomTerms()
        ledger = try ClientLedger(clients, window: limits.window)
    }
}

extension JSON {
    /// The hash that a snapshot gives for a state that is this value: the same on every machine.
    package var stateHash: String { SHA256.hexadecimalDigest(of: canonicalBytes) }
}

/// Why a snapshot can't be written or used, as a sentence.
struct SnapshotError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
