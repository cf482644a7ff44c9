package import StorecastSync
package import StorecastWire

/// What devtools and tests ask of a room, whatever its state.
package protocol InspectableRoom: AnyObject {
    /// Hears what happens in the room; nil if nobody listens.
    var observer: (any RoomObserver)? { get set }
    /// What there is to know of the room now. O(subscriptions).
    var inspection: RoomInspection { get }
    /// What the selections cost that were in use since the room was opened, by their names.
    var selectionCosts: [SelectionCost] { get }
    /// The connections that are in the room, in the order in which they were made.
    var sessionsInOrder: [ServerSession] { get }
    /// The state as JSON, null if there is none yet. O(state).
    func tree() throws -> JSON
    /// Dispatches an action by its name on the wire, as a client's: checked for `sender`, and
    /// through middleware and journal.
    func dispatch(
        _ type: String, _ payload: JSON, as sender: Identity, _ outcome: DispatchOutcome)
}

/// What there is to know of a room at one moment, without its state.
package struct RoomInspection: Sendable {
    package var position: Position
    /// `loading`, `ready` or `failed`.
    package var phase: String
    /// How many subscriptions each selection has.
    package var subscriptions: [ExactString: Int]
    /// How many versions the subscription that is the furthest behind has not been sent.
    package var lag: UInt64
    /// How many dispatches wait for the journal.
    package var waiting: Int
    /// What waits for the journal or is on its way to it, in bytes.
    package var waitingBytes: Int
    /// The types of the actions that clients may dispatch.
    package var actions: [String]
}

/// One subscription of a session, for inspection.
package struct InspectedSubscription: Sendable {
    package var selection: String
    /// Its parameters; null if it has none.
    package var parameters: JSON
    /// How many versions of the room it has not been sent; 0 if its value hasn't changed since.
    package var lag: UInt64
    /// The size of its value's JSON text in bytes.
    package var bytes: Int
}

extension ServerSession {
    /// What the connection is subscribed to, in the order of the groups' numbers.
    package var inspectedSubscriptions: [InspectedSubscription] {
        inspected.sorted { $0.group.sub < $1.group.sub }.map { subscription in
            let key = subscription.group.key
            let parameters = key.parameters.base as? any Encodable
            return InspectedSubscription(
                selection: key.selection,
                parameters: parameters.flatMap { try? JSONCoding.encodeTree($0) } ?? .null,
                lag: subscription.lag(at: room.position.version), bytes: subscription.group.size)
        }
    }

    /// How many versions the subscription that is the furthest behind has not been sent.
    package var lag: UInt64 {
        inspected.lazy.map { $0.lag(at: self.room.position.version) }.max() ?? 0
    }

    private var inspected: some Sequence<ServerSubscription> {
        // Several refs may share one.
        subscriptions.lazy.filter { $0.key == $0.value.refs.first }.map(\.value)
    }
}

extension ServerSubscription {
    fileprivate func lag(at version: UInt64) -> UInt64 {
        isPassedOn || position == group.version ? 0 : version - (position ?? 0)
    }
}

/// Hears what happens in a room; called on the room's loop.
package protocol RoomObserver: AnyObject {
    /// A selection got its first subscription, or lost its last: see ``Room/selectionsInUse``.
    func selectionsChanged()
    /// A batch is handed to the journal.
    func appending()
    /// The journal has the batch, and what is in it is about to be reduced.
    func appended()
    /// The batch is reduced, and the selections are evaluated.
    func committed()
    /// A dispatch has its outcome, as of `version`.
    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64)
    /// A dispatch, whose payload had so many bytes if it came from a client, took so long to be
    /// checked, reduced and settled.
    func took(_ time: Duration, _ entry: JournalEntry, bytes: Int, isRejected: Bool)
}

extension RoomObserver {
    package func selectionsChanged() {}
    package func appending() {}
    package func appended() {}
    package func committed() {}
    package func took(_ time: Duration, _ entry: JournalEntry, bytes: Int, isRejected: Bool) {}
}
