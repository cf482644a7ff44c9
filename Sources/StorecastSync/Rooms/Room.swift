package import Storecast
package import StorecastWire

/// One state and its clients, without I/O. Belongs to one loop.
///
/// A dispatch is authorised, runs through the store's middleware, waits for the end of the turn,
/// is ordered by the journal together with all that came in the turn, and is then validated and
/// reduced; every selection group is evaluated once for all of them.
package final class Room<State: Codable & Sendable>: AnyRoom {
    package let store: Store<State>
    package var position: Position
    package var name: String { context.name }
    package var limits: SyncLimits { context.limits }

    let definition: RoomDefinition<State>
    var context: RoomContext
    var ledger: ClientLedger
    var sessions: [String: ServerSession] = [:]
    private var visitors: UInt64 = 0
    /// Whose client ids they are that left before the ledger knew of them, with dispatches under way.
    var orphans: [String: (identity: String, lastSeq: UInt64)] = [:]
    var forgetting = Forgetting()
    var groups = SelectionTable<State>()
    var lingering = LingeringGroups<State>()
    var isWatchingLingering = false
    /// What came since the last batch was handed to the journal.
    var batch: [JournalEntry] = []
    /// What the journal refused of the server's own dispatches, until they are tried again.
    var postponed: [JournalEntry] = []
    /// What waits for the journal or is on its way to it, in bytes.
    var heldBytes = 0
    var isAppending = false
    /// Whether its history was read; until then nothing is taken.
    var phase = RoomPhase.loading
    var waiting: [(RoomPhase) -> Void] = []
    var tail: (any JournalTail)?
    /// The newest entry in the state.
    var offset: UInt64 = 0
    /// What of its history can't be read.
    var unreadable = UnreadableActions()
    var snapshots: SnapshotSchedule
    /// How many subscribers the store had when it was opened.
    var openingSubscribers = 0
    /// What a client's revert waits for.
    var lookup: StateLookup<State>?
    /// The entry whose action runs through the middleware now.
    var collecting: [any SyncAction]?
    /// Under which the server's own code dispatches.
    let ownClient: String
    var ownSeq: UInt64 = 0
    var ownDispatches: [UInt64: DispatchOutcome] = [:]
    var attendance = Attendance()
    package var observer: (any RoomObserver)?

    package init(_ definition: RoomDefinition<State>, _ context: RoomContext) {
        self.definition = definition
        self.context = context
        store = definition.makeStore()
        position = Position(epoch: "", version: 0)
        ledger = ClientLedger(window: context.limits.window)
        snapshots = SnapshotSchedule(context.limits.snapshots)
        ownClient = randomID(using: &self.context.random)
        store.interceptDispatch { [unowned self] action in collect(action) }
        load()
    }

    package var sessionCount: Int { sessions.count }

    package var isUntouched: Bool {
        if case .failed = phase { return true }
        return phase == .ready && position.version == 0 && sessions.isEmpty && batch.isEmpty
            && postponed.isEmpty && !isAppending && attendance.isQuiet
    }

    package func numberVisitor() -> UInt64 {
        visitors += 1
        return visitors
    }

    package func join(_ session: ServerSession) -> CloseCode? {
        let owner = ledger[client: session.client]?.identity ?? orphans[session.client]?.identity
        if let owner, !owner.isSameText(as: session.identity.id) { return .forbidden }
        if let other = sessions[session.client] {
            guard other.identity.id.isSameText(as: session.identity.id) else { return .forbidden }
            // A hello that was held up on its way may come behind that of the client's next connection.
            guard session.isNewer(than: other) else { return .replaced }
            other.close(.replaced, "Another connection uses the same client id.")
        }
        sessions[session.client] = session
        session.horizon = ledger.horizon
        forgetting.joined(session)
        arrived(session)
        return nil
    }

    package func leave(_ session: ServerSession) {
        guard sessions[session.client] === session else { return }
        sessions[session.client] = nil
        if let last = session.dispatches.lastUnsettled {
            orphans[session.client] = (session.identity.id, last)
        }
        left(session.client)
        departed(session)
    }

    package func record(of client: String) -> ClientLedger.Record? {
        ledger[client: client]
    }

    package func close(_ code: CloseCode, _ title: String, after: Double, jitter: Double) {
        for session in sessions.values.sorted(by: { $0.client < $1.client }) {
            session.close(code, title, after: after, jitter: jitter)
        }
    }
}
