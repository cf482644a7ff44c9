import StorecastMirror
import StorecastRoom

/// The loop of a ``RehearsedRoom``: its turns end when they are told to, and no time passes by
/// itself.
final class RehearsalLoop: LoopHost {
    /// The id of the one client.
    let client = "test"
    /// What the test gives to the next dispatch; its time is that of everything.
    var stamp = Stamp()
    /// Those of the client's dispatches, by number.
    var stamps: [UInt64: Stamp] = [:]
    /// Where the test stands.
    var site: CallSite
    /// Called with the name of each dispatch that the room has reduced or rejected.
    var onReduced: (String) -> Void = { _ in }
    /// Those that the test gave to the server's own.
    private var ownStamps: [UInt64: Stamp] = [:]
    private var lastOwn: UInt64 = 0
    private var records: [(offset: UInt64, record: JournalRecord)] = []
    /// What a server would log, and what only it would know.
    private var reports: [String] = []
    private var rejection: Rejection?
    /// The loop itself.
    private(set) lazy var rooms = RoomLoop(
        limits: SyncLimits(), unloadsRooms: false, host: self)

    init(_ site: CallSite) {
        self.site = site
    }

    /// Fails the test for what a server would log, and for what nobody is told.
    ///
    /// - Parameter outcome: what the test is told of its dispatch.
    /// - Returns: the same, with what only the log says of it.
    func report(telling outcome: Rejection? = nil) -> Rejection? {
        var outcome = outcome
        if outcome?.code == .internal { outcome?.detail = reports.take().joined(separator: "\n") }
        for report in reports.take() { site.report(report) }
        return outcome
    }

    /// Has the server's next dispatch stamped as the test says, and told of its end.
    func whileChoosingNext(_ dispatch: () -> Void) {
        let next = lastOwn + 1
        ownStamps[next] = stamp
        dispatch()
        // It may have been refused before it had a number.
        if lastOwn < next { ownStamps[next] = nil }
    }

    /// What an action is stamped with: the second of a dispatch has the id "1.1", and so on.
    func stamp(of entry: JournalEntry, _ index: Int) -> Stamp {
        var stamp =
            (entry.client == client ? stamps : ownStamps)[entry.seq]
            ?? Stamp(
                id: "server-\(entry.seq)", sender: entry.sender, time: entry.time, seed: entry.seq)
        if index > 0 { stamp.id += ".\(index)" }
        stamp.seed &+= UInt64(index)
        return stamp
    }

    func takeRejection() -> Rejection? { rejection.take() }

    /// The journal has more.
    func note(_ event: JournalTailEvent) {
        if case .entries(let records) = event { self.records += records }
    }

    func takeRecord() -> (offset: UInt64, record: JournalRecord)? {
        records.isEmpty ? nil : records.removeFirst()
    }

    // MARK: LoopHost

    var now: Duration { .zero }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {}

    func authenticate(_ session: ServerSession, token: String?) {}

    func report(_ message: String) {
        reports.append(message)
    }
}

extension RehearsalLoop: RoomObserver {
    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) {
        let name = entry.actions.first.map { "\(type(of: $0))" } ?? "An action"
        onReduced(name)
        if entry.client == client {
            self.rejection = rejection
            return
        }
        lastOwn = entry.seq
        guard let rejection, ownStamps[entry.seq] == nil else { return }
        reports.append("\(name), the server's own action, was rejected: \(rejection)")
    }
}

extension Array {
    /// The elements, leaving none behind.
    fileprivate mutating func take() -> Self {
        defer { self = [] }
        return self
    }
}
