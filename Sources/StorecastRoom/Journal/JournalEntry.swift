package import StorecastSync
import StorecastWire

/// One dispatch as the journal orders it: with all that middleware made of it, or as a final
/// rejection without effect. Its actions are typed, or as they are kept.
package struct OrderedDispatch<Action: Sendable>: Sendable {
    /// Who dispatched it.
    package private(set) var origin: DispatchOrigin
    /// The dispatch's number, counting 1, 2, 3 … per client and room.
    package var seq: UInt64
    /// The room's version when the client first made the action.
    package var base: UInt64
    /// The client knows every outcome up to this `seq`.
    package var settled: UInt64
    /// When the server received it.
    package var time: Timestamp
    /// The random seed of its stamps.
    package var seed: UInt64
    /// What is to be reduced, in order; empty if middleware swallowed the action.
    package var actions: [Action]
    /// Few have any of it, and an entry is passed on often: it is kept small.
    private var failure: Failure?
    /// The version of the room's schema that the actions have.
    package var schema: Int
    /// What a room counts it as while it waits for the journal, in bytes; not kept.
    package var size: Int
    /// Whether nothing was forgotten of its client since the action was made, as the client has
    /// been connected; not kept.
    var isVouchedFor = false

    package init(
        origin: DispatchOrigin, seq: UInt64, base: UInt64, settled: UInt64, time: Timestamp,
        seed: UInt64, actions: [Action], rejection: Rejection? = nil,
        refused: RefusedAction? = nil, schema: Int = 1, size: Int = 0
    ) {
        self.origin = origin
        self.seq = seq
        self.base = base
        self.settled = settled
        self.time = time
        self.seed = seed
        self.actions = actions
        self.schema = schema
        self.size = size
        failure = Failure.holding(rejection, refused)
    }

    package init(
        client: String, seq: UInt64, base: UInt64, settled: UInt64, sender: Identity,
        time: Timestamp, seed: UInt64, actions: [Action], rejection: Rejection? = nil,
        refused: RefusedAction? = nil, schema: Int = 1, size: Int = 0
    ) {
        self.init(
            origin: DispatchOrigin(client: client, sender: sender), seq: seq, base: base,
            settled: settled, time: time, seed: seed, actions: actions, rejection: rejection,
            refused: refused, schema: schema, size: size)
    }

    /// The dispatching client's id, or the id of a server's incarnation.
    package var client: String {
        get { origin.client }
        set { origin = DispatchOrigin(client: newValue, sender: sender) }
    }

    /// Who sent it.
    package var sender: Identity {
        get { origin.sender }
        set { origin = DispatchOrigin(client: client, sender: newValue) }
    }

    /// Why nothing is to be reduced: a tombstone, so that the rejection is the same for ever.
    package var rejection: Rejection? {
        get { failure?.rejection }
        set { failure = Failure.holding(newValue, refused) }
    }

    /// What came, if it was rejected before it was an action.
    package var refused: RefusedAction? {
        get { failure?.refused }
        set { failure = Failure.holding(rejection, newValue) }
    }

    /// Whether it is a tombstone.
    var isRejected: Bool { failure?.rejection != nil }

    /// The same dispatch with other actions, as what is kept of it.
    func with<Other>(_ actions: [Other]) -> OrderedDispatch<Other> {
        OrderedDispatch<Other>(
            origin: origin, seq: seq, base: base, settled: settled, time: time, seed: seed,
            actions: actions, rejection: rejection, refused: refused, schema: schema)
    }

    /// What the action at this place is completed with, if it is ``Stamped``.
    package func stamp(index: Int) -> Stamp {
        Stamp(
            id: stampID(client: client, seq: seq, index: index), sender: sender, time: time,
            seed: seed &+ UInt64(truncatingIfNeeded: index))
    }
}

extension OrderedDispatch: Equatable where Action: Equatable {}

/// Who makes dispatches: shared by all that came over one connection.
package final class DispatchOrigin: Equatable, Sendable {
    /// The client's id, or that of a server's incarnation.
    package let client: String
    package let sender: Identity

    /// Of a connection that hasn't said hello.
    static let unknown = DispatchOrigin(client: "", sender: .anonymous)

    package init(client: String, sender: Identity) {
        self.client = client
        // A replay comes to the same whenever it is made.
        var sender = sender
        sender.expires = nil
        self.sender = sender
    }

    package static func == (left: DispatchOrigin, right: DispatchOrigin) -> Bool {
        left === right
            || left.client.isSameText(as: right.client) && left.sender == right.sender
    }
}

/// What an entry without effect has beside what all have.
private final class Failure: Equatable, Sendable {
    let rejection: Rejection?
    let refused: RefusedAction?

    private init(_ rejection: Rejection?, _ refused: RefusedAction?) {
        self.rejection = rejection
        self.refused = refused
    }

    /// Nil if there is nothing to hold.
    static func holding(_ rejection: Rejection?, _ refused: RefusedAction?) -> Failure? {
        // Not a failable initialiser, which allocates before it fails.
        rejection == nil && refused == nil ? nil : Failure(rejection, refused)
    }

    static func == (left: Failure, right: Failure) -> Bool {
        left.rejection == right.rejection && left.refused == right.refused
    }
}

/// A dispatch with its actions, as a room hands it to its journal and reduces it.
package typealias JournalEntry = OrderedDispatch<any SyncAction>

/// A dispatch at rest: its actions by name and payload, as nothing but a room's catalogue knows
/// their types.
package typealias JournalRecord = OrderedDispatch<JournalAction>

/// An action as it is kept: without its stamp, which follows from the entry.
package struct JournalAction: Equatable, Sendable {
    package var type: String
    /// JSON text.
    package var payload: [UInt8]

    package init(type: String, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }
}

extension OrderedDispatch where Action == JournalAction {
    /// The entry as it is kept. Throws what an action's `encode(to:)` throws.
    package init(_ entry: JournalEntry) throws {
        self = entry.with(
            try entry.actions.map { action in
                JournalAction(
                    type: type(of: action).wireName, payload: try JSONCoding.encode(action))
            })
    }

    /// The bytes of all payloads.
    var payloadBytes: Int { actions.reduce(0) { $0 + $1.payload.count } }
}
