package import StorecastSync
package import StorecastWire
import Synchronization

/// A client's dispatches that have no outcome yet, in their order.
///
/// A dispatch is *numbered* when it is made, on any thread; *admitted* by the session, behind the
/// thread's earlier requests; *stored*, if the outbox is stored; *sent*; and *settled*. One that
/// ends before it was sent leaves a gap in the numbers, which only a new `hello` can jump.
package struct Outbox: Sendable {
    /// The last number that was given.
    package internal(set) var lastSeq: UInt64 = 0
    /// How many dispatches have no outcome.
    package internal(set) var count = 0
    /// The bytes that their frames take at most.
    package internal(set) var bytes = 0
    /// Why every new dispatch is refused; nil if they are taken.
    package var refusal: Rejection?
    /// The bounds of the server for frames.
    package private(set) var frameLimits = ServerFrame.Limits(
        message: 1 << 20, window: 1024, subscriptions: 256, depth: 64)

    /// In the order of their numbers; ended ones may be among them, and before `first`.
    var entries: [OutboxEntry] = []
    /// The place of the first without an outcome.
    var first = 0
    /// The last number of each admission that the session was asked for and hasn't made.
    private var admissions: [UInt64] = []
    /// Whether new dispatches join the last of them.
    private var isAdmissionOpen = false
    /// The last dispatch that is admitted.
    private(set) var admitted: UInt64 = 0
    /// The last dispatch that may ever have reached the server.
    var lastEverSent: UInt64 = 0
    var cursor = SendCursor()
    /// What is stored; nil for an outbox in memory.
    var recording: OutboxRecording?
    /// Outcomes that were decided by the client, still to be told.
    var owed: [(outcome: DispatchOutcome, rejection: Rejection)] = []
    /// Rises whenever a dispatch comes or goes, or what is shown of those that wait changes.
    var revision: UInt64 = 0
    /// No connection is there or being greeted.
    package internal(set) var isOffline = true

    /// The last dispatch that made room for another.
    private var lastDropped: UInt64 = 0
    private let limits: OutboxLimits
    private var stamps: ProvisionalStamps?
    /// How often the sender in the provisional stamps has changed.
    private var senders: UInt64 = 0
    /// Types of actions that aren't ``Stamped``. Asking a value each time (`as? any Stamped`) takes
    /// longer than everything else here.
    private var stampless: Set<ObjectIdentifier> = []

    package init(limits: OutboxLimits = OutboxLimits(), stamps: ProvisionalStamps? = nil) {
        self.limits = limits
        self.stamps = stamps
    }

    /// An outbox that refuses everything.
    package init(refusing refusal: Rejection) {
        self.init()
        self.refusal = refusal
    }

    /// The client knows the outcomes of all dispatches up to this one.
    package var settled: UInt64 {
        first < entries.count ? entries[first].seq - 1 : lastSeq
    }

    // MARK: Coming in

    /// Takes a dispatch and gives it the next number, or throws why not; then no number is used.
    ///
    /// If the answer says `opensAdmission`, the caller has to have the session call
    /// ``admit(base:)``.
    package mutating func append(
        _ outgoing: OutgoingAction, _ outcome: DispatchOutcome
    ) throws(Rejection) -> (pending: PendingAction?, opensAdmission: Bool) {
        if let refusal { throw refusal }
        if let problem = problem(outgoing) { throw problem }
        try makeRoom(for: outgoing.frameSize)
        let action = take(outgoing, outcome)
        defer { isAdmissionOpen = true }
        if isAdmissionOpen {
            admissions[admissions.count - 1] = lastSeq
        } else {
            admissions.append(lastSeq)
        }
        return (action.map { PendingAction(seq: lastSeq, action: $0) }, !isAdmissionOpen)
    }

    /// The session was asked for something else: later dispatches are admitted behind it.
    package mutating func closeAdmission() {
        isAdmissionOpen = false
    }

    /// Admits the dispatches of the oldest admission, made when the room was at version `base`.
    package mutating func admit(base: UInt64) {
        guard !admissions.isEmpty else { return }
        let end = admissions.removeFirst()
        if admissions.isEmpty { isAdmissionOpen = false }
        var place = place(from: admitted + 1)
        while place < entries.count, entries[place].seq <= end {
            entries[place].base = base
            place += 1
        }
        admitted = max(admitted, end)
    }

    /// Takes a dispatch that an earlier process left.
    mutating func restore(_ outgoing: OutgoingAction, seq: UInt64, base: UInt64) {
        lastSeq = seq - 1
        _ = take(outgoing, DispatchOutcome())
        entries[entries.count - 1].base = base
        noteRestored(through: seq)
    }

    /// The numbers up to `seq` are used.
    mutating func noteRestored(through seq: UInt64) {
        lastSeq = max(lastSeq, seq)
        admitted = lastSeq
        // Nobody knows which of them were sent.
        lastEverSent = lastSeq
    }

    /// Gives a dispatch the next number; returns its action as stores show it.
    private mutating func take(
        _ outgoing: OutgoingAction, _ outcome: DispatchOutcome
    ) -> (any SyncAction)? {
        var outgoing = outgoing
        lastSeq += 1
        if let action = outgoing.action { outgoing.action = stamped(action) }
        count += 1
        bytes += outgoing.frameSize
        revision += 1
        entries.append(OutboxEntry(seq: lastSeq, outgoing, outcome))
        return outgoing.action
    }

    /// The newest action with its provisional stamp, if its type has one.
    private mutating func stamped(_ action: any SyncAction) -> any SyncAction {
        let type = ObjectIdentifier(type(of: action))
        guard let stamps, !stampless.contains(type) else { return action }
        if let stamped = stamps.stamp(action, seq: lastSeq) { return stamped }
        stampless.insert(type)
        return action
    }

    /// The server takes the client for somebody: the sender in the provisional stamps, also of what
    /// waits.
    mutating func sends(as sender: Identity) {
        guard let stamps, stamps.sender != sender else { return }
        self.stamps?.sender = sender
        senders += 1
        revision += 1
        for place in first..<entries.count { entries[place].restamp(with: sender) }
    }

    // MARK: Bounds

    private func problem(_ outgoing: OutgoingAction) -> Rejection? {
        if outgoing.frameSize > frameLimits.message {
            return Rejection(
                .invalid, "The action is too large.",
                detail: "\(outgoing.frameSize) bytes; the server takes \(frameLimits.message).")
        }
        if outgoing.depth > frameLimits.depth {
            return Rejection(
                .invalid, "The action is nested too deep.",
                detail: "\(outgoing.depth) levels; the server takes \(frameLimits.depth).")
        }
        return nil
    }

    private mutating func makeRoom(for size: Int) throws(Rejection) {
        guard count >= limits.count || bytes + size > limits.bytes else { return }
        let full = Rejection(
            .outboxFull, "Too many dispatches wait for the server.",
            detail: "\(count) of at most \(limits.count), \(bytes) of \(limits.bytes) bytes.")
        guard limits.whenFull == .dropOldest, isOffline else { throw full }
        let oldest = place(from: max(lastEverSent, lastDropped) + 1)
        var end = oldest
        var (countLeft, bytesLeft) = (count, bytes + size)
        while end < entries.count, countLeft >= limits.count || bytesLeft > limits.bytes {
            if !entries[end].isEnded { countLeft -= 1 }
            bytesLeft -= entries[end].frameSize
            end += 1
        }
        guard countLeft < limits.count, bytesLeft <= limits.bytes else { throw full }
        for place in oldest..<end { self.end(place, full) }
        lastDropped = entries[end - 1].seq
        trim()
    }

    /// The server has told its bounds: dispatches that are too large for it end.
    package mutating func adopt(_ limits: ServerFrame.Limits) {
        let old = frameLimits
        frameLimits = limits
        guard limits.message < old.message || limits.depth < old.depth else { return }
        for place in first..<entries.count where entries[place].seq > cursor.lastSent {
            guard let outgoing = entries[place].outgoing, let problem = problem(outgoing)
            else { continue }
            end(place, entries[place].seq > lastEverSent ? problem : Self.unknown(problem.title))
        }
        trim()
    }
}

/// How many dispatches without an outcome a client keeps, and what gives way when there are more.
public struct OutboxLimits: Sendable {
    /// What gives way when an outbox is full.
    public enum Policy: Sendable {
        /// The new dispatch: its outcome is the rejection `outbox-full`, before `dispatch` returns.
        case refuseNewest
        /// While there is no connection, the oldest dispatches that were never sent: their outcome
        /// is the rejection `outbox-full`. What may have reached the server is never dropped, and
        /// neither is anything while there is a connection; then the new dispatch is refused.
        case dropOldest
    }

    /// How many dispatches there may be; 100,000.
    public var count: Int
    /// How many bytes they may take on the wire, about 160 each beside their payload; 16 MiB.
    public var bytes: Int
    /// What gives way when there is no room.
    public var whenFull: Policy

    /// Bounds; the defaults suit an app that is offline for a day.
    public init(
        count: Int = 100_000, bytes: Int = 16 << 20, whenFull: Policy = .refuseNewest
    ) {
        self.count = count
        self.bytes = bytes
        self.whenFull = whenFull
    }
}

/// An outbox as all threads of a client see it: dispatches are numbered on any of them, and settled
/// by the session.
package final class SharedOutbox: Sendable {
    /// The client's id, for life; a secret of client and server.
    package let client: String
    private let outbox: Mutex<Outbox>

    package init(client: String, _ outbox: Outbox = Outbox()) {
        self.client = client
        self.outbox = Mutex(outbox)
    }

    package func withLock<Value: Sendable, Failure>(
        _ work: (inout Outbox) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try outbox.withLock { outbox throws(Failure) in try work(&outbox) }
    }
}

extension Outbox {
    /// The dispatches without an outcome whose actions are known. O(n).
    package var pendingActions: PendingActions {
        PendingActions(
            revision: revision, senders: senders, through: lastSeq,
            actions: entries[first...].compactMap { entry in
                entry.outgoing?.action.map { PendingAction(seq: entry.seq, action: $0) }
            })
    }

    /// The dispatches without an outcome, oldest first. O(n).
    package var pendingEntries: [(seq: UInt64, action: OutgoingAction, outcome: DispatchOutcome)] {
        entries[first...].compactMap { entry in
            entry.outgoing.map { (entry.seq, $0, entry.outcome) }
        }
    }
}
