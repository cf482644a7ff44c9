package import StorecastSync
import StorecastWire

/// A ``JournalEntry`` at rest: its actions by name and payload, as nothing but a room's catalogue
/// knows their types.
package struct JournalRecord: Equatable, Sendable {
    /// An action as it is kept: without its stamp, which follows from the entry.
    package struct RecordedAction: Equatable, Sendable {
        package var type: String
        /// JSON text.
        package var payload: [UInt8]

        package init(type: String, payload: [UInt8]) {
            self.type = type
            self.payload = payload
        }
    }

    package var client: String
    package var seq: UInt64
    package var base: UInt64
    package var settled: UInt64
    package var sender: Identity
    package var time: Timestamp
    package var seed: UInt64
    package var actions: [RecordedAction]
    package var rejection: Rejection?
    /// What came, if it was rejected before it was an action.
    package var refused: RefusedAction?
    /// The version of the room's schema that the actions were written with.
    package var schema: Int

    package init(
        client: String, seq: UInt64, base: UInt64, settled: UInt64, sender: Identity,
        time: Timestamp, seed: UInt64, actions: [RecordedAction], rejection: Rejection?,
        refused: RefusedAction? = nil, schema: Int = 1
    ) {
        self.client = client
        self.seq = seq
        self.base = base
        self.settled = settled
        self.sender = sender
        self.time = time
        self.seed = seed
        self.actions = actions
        self.rejection = rejection
        self.refused = refused
        self.schema = schema
    }
}

extension JournalRecord {
    /// The bytes of all payloads.
    var payloadBytes: Int { actions.reduce(0) { $0 + $1.payload.count } }

    /// Throws what an action's `encode(to:)` throws.
    package init(_ entry: JournalEntry) throws {
        self.init(
            client: entry.client, seq: entry.seq, base: entry.base, settled: entry.settled,
            sender: entry.sender, time: entry.time, seed: entry.seed,
            actions: try entry.actions.map { action in
                RecordedAction(
                    type: type(of: action).wireName, payload: try JSONCoding.encode(action))
            }, rejection: entry.rejection, refused: entry.refused, schema: entry.schema)
    }
}
