package import StorecastSync

/// One dispatch as the journal orders it: with all that middleware made of it, or as a final
/// rejection without effect.
package struct JournalEntry: Sendable {
    /// The dispatching client's id, or the id of a server's incarnation.
    package var client: String
    /// The dispatch's number, counting 1, 2, 3 … per client and room.
    package var seq: UInt64
    /// The room's version when the client first made the action.
    package var base: UInt64
    /// The client knows every outcome up to this `seq`.
    package var settled: UInt64
    /// Who sent it.
    package var sender: Identity
    /// When the server received it.
    package var time: Timestamp
    /// The random seed of its stamps.
    package var seed: UInt64
    /// What is to be reduced, in order; empty if middleware swallowed the action.
    package var actions: [any SyncAction]
    /// Why nothing is to be reduced: a tombstone, so that the rejection is the same for ever.
    package var rejection: Rejection?
    /// What came, if it was rejected before it was an action.
    package var refused: RefusedAction?
    /// The version of the room's schema that the actions have.
    package var schema: Int
    /// What the room counts the entry as while it waits for the journal, in bytes.
    package var size: Int
    /// Whether nothing was forgotten of its client since the action was made, as the client has
    /// been connected; not kept.
    var isVouchedFor = false

    package init(
        client: String, seq: UInt64, base: UInt64, settled: UInt64, sender: Identity,
        time: Timestamp, seed: UInt64, actions: [any SyncAction],
        rejection: Rejection? = nil, refused: RefusedAction? = nil, schema: Int = 1,
        size: Int = 0
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
        self.size = size
    }

    /// What the action at this place is completed with, if it is ``Stamped``.
    package func stamp(index: Int) -> Stamp {
        Stamp(
            id: stampID(client: client, seq: seq, index: index), sender: sender, time: time,
            seed: seed &+ UInt64(truncatingIfNeeded: index))
    }
}
