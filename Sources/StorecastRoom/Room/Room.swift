package import Storecast
package import StorecastSync
package import StorecastWire

/// One state and its clients, without I/O. Belongs to one loop.
///
/// A dispatch is taken in (``Intake``), waits for the end of the turn, is ordered by the journal
/// together with all that came in the turn, and is then validated and reduced (``RoomLog``); then
/// each subscribed selection is evaluated, once for all its subscriptions (``Views``).
package final class Room<State: Codable & Sendable>: AnyRoom {
    package let log: RoomLog<State>
    let intake: Intake<State>
    let views: Views<State>
    package private(set) var limits: SyncLimits
    package private(set) var sessionLimits: SessionLimits
    let context: RoomContext
    var random: any RandomNumberGenerator
    // Unchecked, as some below: what each action reads and writes. No access calls other code.
    @exclusivity(unchecked) var queue = JournalQueue()
    @exclusivity(unchecked) var own: OwnDispatches
    var snapshots: SnapshotSchedule
    var attendance = Attendance()
    var forgetting = Forgetting()

    @exclusivity(unchecked) var sessions: [String: ServerSession] = [:]
    private var visitors: UInt64 = 0
    /// Clients that left before the ledger knew of them, with dispatches under way; by client id.
    @exclusivity(unchecked) var orphans: [String: (identity: String, lastSeq: UInt64)] = [:]

    var epoch = ""
    /// Whether its history was read; until then nothing is taken.
    package internal(set) var phase = RoomPhase.loading
    /// When the server's owner was last told that the room held up its loop.
    var longReport: Duration?
    /// What the journal's last reported refusal was, and when.
    var refusal: (error: JournalError, at: Duration)?
    /// Whether the journal was asked a moment ago if another server writes the room.
    var isDoubted = false
    /// Those who wait until it is asked again.
    var doubters: [(Bool?) -> Void] = []
    /// Whether the journal took nothing of the last batch.
    var isRefused = false
    /// Called when it was, or can't be.
    var waiting: [(RoomPhase) -> Void] = []
    var tail: (any JournalTail)?
    /// How many subscribers the store had when it was opened.
    var openingSubscribers = 0
    /// The past state that a client's revert needs.
    var lookup: StateLookup<State>?
    @exclusivity(unchecked) package var observer: (any RoomObserver)?

    package init(_ definition: RoomDefinition<State>, _ context: RoomContext) {
        let failed = { [name = context.name, unowned host = context.host] (error: any Error) in
            host.report("A check in room '\(name)' failed: \(JSONCoding.message(for: error))")
        }
        let unruled = UnruledNames(of: context.name, host: context.host)
        log = RoomLog(definition, limits: context.limits, stamp: context.stamp, failed: failed)
        intake = Intake(log, isClosed: context.isClosed, unruled)
        views = Views(
            log, name: context.name, limits: context.limits, isClosed: context.isClosed,
            host: context.host, unruled: unruled, failed: failed)
        limits = context.limits
        sessionLimits = SessionLimits(context.limits)
        random = context.random
        own = OwnDispatches(client: randomID(using: &random))
        snapshots = SnapshotSchedule(context.limits.snapshots)
        self.context = context
        intake.onLaterDispatch = { [unowned self] in dispatchCollected($0) }
        views.holdsLarge = { [flushes = context.loop.flushes] in flushes.holdsHeavy }
        views.onChange = { [unowned self] in observer?.selectionsChanged() }
        load()
    }

    package func set(_ limits: SyncLimits) {
        self.limits = limits
        sessionLimits = SessionLimits(limits)
        views.limits = limits
    }

    package var name: String { context.name }
    package var store: Store<State> { log.store }
    package var position: Position { Position(epoch: epoch, version: log.version) }
    var definition: RoomDefinition<State> { log.definition }
    var ledger: ClientLedger { log.ledger }

    // MARK: Sessions

    package func numberVisitor() -> UInt64 {
        visitors += 1
        return visitors
    }

    package var term: String? { log.terms.current }

    package func standing(of hello: ClientFrame.Hello) -> Standing? {
        guard let seen = hello.seen, isOwn(seen.epoch) else { return .epoch(epoch) }
        switch log.terms.relation(of: seen.version, in: hello.term, end: log.version) {
        case .part: return .epoch(seen.epoch.isSameText(as: epoch) ? epoch : seen.epoch)
        case .ahead: return .ahead
        // Another server may have another history by now.
        case .lost, .unknown: return nil
        }
    }

    /// Whether an epoch is this room's, by its own name or one that a client got.
    private func isOwn(_ name: String) -> Bool {
        if name.isSameText(as: epoch) { return true }
        let prefix = (epoch + "/").utf8
        return term != nil && name.utf8.count == prefix.count + 32 && name.utf8.starts(with: prefix)
    }

    package func renamedEpoch() -> String { "\(epoch)/\(randomID(using: &random))" }

    package func admit(_ session: ServerSession, _ hello: ClientFrame.Hello) -> Admission {
        if let refusal = refusal(ofEntryTo: session.identity) {
            return .refused(Admission.Refusal(.forbidden, refusal.description))
        }
        if let code = join(session) {
            return .refused(
                Admission.Refusal(
                    code,
                    code == .replaced
                        ? "A later connection uses the same client id."
                        : "The client id belongs to another identity. "
                            + "Give each person an outbox of their own."))
        }
        let record = ledger[client: session.client]
        let rejected = record?.rejections(since: hello.settled ?? 0, window: limits.window)
        return .welcome(lastSeq: record?.lastSeq ?? 0, rejected: rejected ?? [])
    }

    /// Makes the session the one that holds its client id; nil if it does, else what it is to be
    /// closed with.
    private func join(_ session: ServerSession) -> CloseCode? {
        let owner = ledger[client: session.client]?.identity ?? orphans[session.client]?.identity
        if let owner, !owner.isSameText(as: session.identity.id) { return .forbidden }
        if let other = sessions[session.client] {
            guard other.identity.id.isSameText(as: session.identity.id) else { return .forbidden }
            // A hello that was held up on its way may come behind that of the client's next
            // connection.
            guard session.isNewer(than: other) else { return .replaced }
            if session.connection == nil, other.connection != nil {
                // It may be an earlier one that was held up: the client comes again if it is.
                other.close(
                    .goingAway, "Another connection of the client may be a later one.", after: 0.5,
                    jitter: 1)
            } else {
                other.close(.replaced, "Another connection uses the same client id.")
            }
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

    // MARK: Selections

    package func group(
        for frame: ClientFrame.Subscribe, of session: ServerSession
    ) throws(Rejection) -> Permitted<SelectionGroup>? {
        try views.group(for: frame.select, frame.params, viewer: session.identity)
    }

    package func release(_ group: SelectionGroup) {
        if views.release(group) { context.loop.schedule(turnOf: self) }
    }

    package func report(_ error: any Error, of group: SelectionGroup) {
        views.report(error, of: group)
    }

    package var gauges: RoomGauges {
        RoomGauges(
            groups: views.liveCount, waiting: queue.bytes, isRefused: isRefused,
            unsavedSince: snapshots.unsavedSince)
    }

    package var isBehind: Bool { views.areBehind }

    package var isCongested: Bool { queue.bytes > JournalQueue.congestion }

    package func admits(_ viewer: Identity, to key: GroupKey) -> Bool {
        views.admits(viewer, to: key)
    }

    // MARK: Entry

    package func refusal(ofEntryTo identity: Identity) -> Rejection? {
        guard let rule = definition.entryRule else { return nil }
        do {
            _ = try Permitted(to: identity, by: rule, RoomEntry(), in: store.state) {}
            return nil
        } catch {
            return rejection(for: error)
        }
    }

    /// Has those leave whom the rule for the entry doesn't let in any more, as the state is now.
    func askEntryAgain() {
        guard definition.entryRule?.readsState == true else { return }
        for session in sessions.values.sorted(by: { $0.client < $1.client }) {
            guard let refusal = refusal(ofEntryTo: session.identity) else { continue }
            session.close(.forbidden, refusal.description)
        }
    }

    // MARK: Leaving memory

    package var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    package var isUntouched: Bool {
        hasFailed
            || phase == .ready && log.version == 0 && sessions.isEmpty && queue.isEmpty
                && attendance.isQuiet
    }

    package var isIdle: Bool {
        phase == .ready && (context.journal.isDurable || context.isTransient)
            && sessions.isEmpty && !hasWork && store.subscriptions.count <= openingSubscribers
    }

    /// Whether something is under way that this room has to see the end of.
    private var hasWork: Bool {
        !queue.isEmpty || !own.outcomes.isEmpty || snapshots.isWriting || lookup != nil
            || !attendance.isQuiet
    }

    package func forgetLingering() { views.forgetLingering() }

    package func prepareToUnload(_ completion: @escaping () -> Void) {
        if isIdle { prepareToEnd(completion) } else { completion() }
    }

    package func prepareToEnd(_ completion: @escaping () -> Void) {
        let isWorthwhile = phase == .ready && context.journal.isDurable && snapshots.isWorthwhile
        if isWorthwhile { takeSnapshot(completion) } else { completion() }
    }

    package func unloaded() { context.journal.close(name) }

    package func abandon() {
        if phase == .loading { end(.failed(.unavailable("The server has ended."))) }
        answerDoubters()
        let outcomes = own.outcomes.values
        own.outcomes = [:]
        for outcome in outcomes {
            outcome.settle(
                .failure(
                    Rejection(.closed, "The server left the room before the outcome was known.")))
        }
    }
}

/// What a room gets from outside: its name, journal and limits, its loop, clock and random numbers.
package struct RoomContext {
    package var name: String
    package var journal: any Journal
    package var limits: SyncLimits
    package unowned var loop: RoomLoop
    /// Whether nothing is lost when it leaves memory, as what it has can be asked for again.
    package var isTransient = false
    /// Whether what no rule of the definition is about is refused, as its server authenticates.
    package var isClosed = false
    /// The time of day.
    package var now: () -> Timestamp
    /// Where seeds and ids come from.
    package var random: any RandomNumberGenerator
    /// Is told of every dispatch that has its outcome, with the session of its client if that is
    /// there, and the room's version.
    package var audit: ((JournalEntry, Rejection?, ServerSession?, UInt64) -> Void)?
    /// What an action of an entry is completed with, by its place in the entry; a test chooses it.
    package var stamp: (JournalEntry, _ index: Int) -> Stamp = { $0.stamp(index: $1) }

    package init(
        name: String, journal: any Journal, limits: SyncLimits = SyncLimits(), loop: RoomLoop,
        now: @escaping () -> Timestamp,
        random: any RandomNumberGenerator = SystemRandomNumbers()
    ) {
        self.name = name
        self.journal = journal
        self.limits = limits
        self.loop = loop
        self.now = now
        self.random = random
    }

    package var host: any RoomHost { loop.host }
}

extension RoomDefinitionProtocol {
    /// Opens a room with this definition, whatever its state.
    package func open(_ context: RoomContext) -> any AnyRoom { Room(definition, context) }
}
