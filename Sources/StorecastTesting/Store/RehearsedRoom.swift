import Storecast
import StorecastMirror
import StorecastRoom
import StorecastSync
import StorecastWire

/// The room behind a ``TestStore``: that of a server, with a journal in memory, stamps that the
/// test chooses, and one client without a connection.
///
/// Every entry of its log is replayed too, as after a restart.
final class RehearsedRoom<State: Codable & Equatable & Sendable> {
    private let room: Room<State>
    private let loop: RehearsalLoop
    private var replay: RoomReplay<State>
    private let tail: any JournalTail
    private var nextSeq: UInt64 = 1

    init(_ definition: RoomDefinition<State>, limits: SyncLimits, _ site: CallSite) {
        let loop = RehearsalLoop(site)
        let journal = MemoryJournal(capacity: .max, random: SeededGenerator(seed: 1))
        var context = RoomContext(
            name: "/", journal: journal, limits: limits, loop: loop.rooms,
            now: { [unowned loop] in loop.stamp.time }, random: SeededGenerator(seed: 1))
        context.isClosed = definition.hasRules
        context.stamp = { [unowned loop] in loop.stamp(of: $0, $1) }
        self.loop = loop
        room = Room(definition, context)
        replay = RoomReplay(of: room.log)
        // It receives every entry before the room reduces it.
        tail = journal.tail(of: "/", after: 0) { [unowned loop] in loop.note($0) }
        loop.onReduced = { [unowned self] in readOnceMore($0) }
        room.observer = loop
    }

    deinit {
        tail.cancel()
    }

    var store: Store<State> { room.store }

    /// Ends the turn, so that everything that waits for it takes effect.
    func settle() {
        loop.rooms.endTurn()
        _ = loop.report()
    }

    /// Returns why the action has no effect, or nil if it has been reduced.
    func dispatch(_ action: any Action, _ stamp: Stamp, at site: CallSite) -> Rejection? {
        settle()
        loop.stamp = stamp
        loop.site = site
        guard let action = action as? any SyncAction else {
            return Rejection(.unknownAction, "A room takes SyncActions only.")
        }
        let rejection =
            stamp.sender.id == Identity.server.id ? dispatchOwn(action) : receive(action)
        return loop.report(telling: rejection)
    }

    /// Dispatches as the server's own code does.
    private func dispatchOwn(_ action: any SyncAction) -> Rejection? {
        let outcome = DispatchOutcome()
        loop.whileChoosingNext {
            room.dispatch(action, as: loop.stamp.sender, outcome)
            loop.rooms.endTurn()
        }
        guard case .failure(let rejection)? = outcome.settled else { return nil }
        return rejection
    }

    /// Dispatches as a client does, over the wire.
    private func receive(_ action: any SyncAction) -> Rejection? {
        let seq = nextSeq
        do throws(Rejection) {
            let frame = try overTheWire(action, seq)
            loop.stamps[seq] = loop.stamp
            let refusal = room.receive(
                frame, from: DispatchOrigin(client: loop.client, sender: loop.stamp.sender),
                connectedSince: 0)
            if let refusal {
                return refusal
            }
        } catch {
            return error
        }
        nextSeq += 1
        loop.rooms.endTurn()
        return loop.takeRejection()
    }

    private func overTheWire(
        _ action: any SyncAction, _ seq: UInt64
    ) throws(Rejection) -> ClientFrame.Dispatch {
        var writer = JSONWriter()
        do {
            writer.writeDispatch(
                seq: seq, base: room.position.version, settled: seq - 1,
                type: type(of: action).wireName, payload: try JSONCoding.encode(action))
        } catch {
            throw Rejection(
                .invalid, "The action can't be written as JSON.", detail: "\(error)")
        }
        // In a batch, as clients send it.
        let message = Array("[".utf8) + writer.bytes + Array("]".utf8)
        var frames = message.withUnsafeBytes {
            ClientFrames(reading: $0, limits: room.limits.json)
        }
        switch frames.next() {
        case .success(.dispatch(let dispatch)): return dispatch
        case .failure(let error): throw Rejection(.invalid, error.title, detail: error.detail)
        default: throw Rejection(.invalid, "The action isn't a dispatch any more.")
        }
    }

    /// Replays the newest entry of the log, which the room has just reduced.
    private func readOnceMore(_ name: String) {
        guard let (offset, record) = loop.takeRecord() else { return }
        do throws(JournalError) {
            try replay.reduce(record, at: offset)
            guard let first = store.state, replay.state != first else { return }
            loop.site.report(
                """
                \(name) isn't reduced alike every time. Time, identity and chance come from the \
                action's stamp: …
                """, from: ("First", first), to: ("Second", replay.state))
        } catch .damaged(let problem) {
            loop.site.report("\(name) can't be read from the log: \(problem)")
        } catch {
            loop.site.report("\(name) can't be read from the log: \(error)")
        }
        // Continue from the room's state, so that each problem is reported once.
        replay = RoomReplay(of: room.log)
        if let snapshot = room.snapshot { replay.restore(snapshot, at: offset) }
    }
}

/// The loop of a ``RehearsedRoom``: turns end when the test ends them, and no time passes.
final class RehearsalLoop: LoopHost {
    /// The id of the one client.
    let client = "test"
    /// The stamp of the next dispatch; its time is the time of day.
    var stamp = Stamp()
    /// The stamps of the client's dispatches, by number.
    var stamps: [UInt64: Stamp] = [:]
    /// Where the test is now.
    var site: CallSite
    /// Called with the name of each dispatch that the room has reduced or rejected.
    var onReduced: (String) -> Void = { _ in }
    /// The stamps of the server's own dispatches that the test made, by number.
    private var ownStamps: [UInt64: Stamp] = [:]
    private var lastOwn: UInt64 = 0
    private var records: [(offset: UInt64, record: JournalRecord)] = []
    /// What a server would log.
    private var reports: [String] = []
    private var rejection: Rejection?
    /// The loop itself.
    private(set) lazy var rooms = RoomLoop(
        limits: SyncLimits(), unloadsRooms: false, host: self)

    init(_ site: CallSite) {
        self.site = site
    }

    /// Fails the test for what a server would log.
    ///
    /// - Parameter outcome: the rejection that the test gets; an internal one is explained by what
    ///   a server would log, instead of failing the test.
    func report(telling outcome: Rejection? = nil) -> Rejection? {
        var outcome = outcome
        if outcome?.code == .internal { outcome?.detail = reports.take().joined(separator: "\n") }
        for report in reports.take() { site.report(report) }
        return outcome
    }

    /// Runs `dispatch`, and stamps the server's dispatch that it makes with ``stamp``.
    func whileChoosingNext(_ dispatch: () -> Void) {
        let next = lastOwn + 1
        ownStamps[next] = stamp
        dispatch()
        // It may have been refused before it got a number.
        if lastOwn < next { ownStamps[next] = nil }
    }

    /// The stamp of an action: the second one of a dispatch has the id "1.1", and so on.
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

    /// Takes an event of the journal.
    func note(_ event: JournalTailEvent) {
        if case .entries(let records) = event { self.records += records }
    }

    func takeRecord() -> (offset: UInt64, record: JournalRecord)? {
        records.isEmpty ? nil : records.removeFirst()
    }

    // MARK: LoopHost

    var now: Duration { .zero }

    var timeOfDay: Timestamp { Timestamp(secondsSince1970: 0) }

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
