import Storecast
import StorecastRoom
import StorecastWire

/// A room for a test of its rules: the room as it is in a server, with a journal in memory, stamps
/// that the test chooses, and one client in place of connections.
///
/// What it has logged is read once more, as another machine does or the next start.
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
        context.stamp = { [unowned loop] in loop.stamp(of: $0, $1) }
        self.loop = loop
        room = Room(definition, context)
        replay = RoomReplay(of: room.log)
        // It hears of every entry before the room reduces it.
        tail = journal.tail(of: "/", after: 0) { [unowned loop] in loop.note($0) }
        loop.onReduced = { [unowned self] in readOnceMore($0) }
        room.observer = loop
    }

    deinit {
        tail.cancel()
    }

    var store: Store<State> { room.store }

    /// Lets everything take effect that waits for the end of the turn.
    func settle() {
        loop.rooms.endTurn()
        _ = loop.report()
    }

    /// Answers why the action has no effect, or nil if it has been reduced.
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

    /// As the server's own code does.
    private func dispatchOwn(_ action: any SyncAction) -> Rejection? {
        let outcome = DispatchOutcome()
        loop.whileChoosingNext {
            room.dispatch(action, as: loop.stamp.sender, outcome)
            loop.rooms.endTurn()
        }
        guard case .failure(let rejection)? = outcome.settled else { return nil }
        return rejection
    }

    /// As a client's that has come over the wire.
    private func receive(_ action: any SyncAction) -> Rejection? {
        let seq = nextSeq
        do throws(Rejection) {
            let frame = try overTheWire(action, seq)
            loop.stamps[seq] = loop.stamp
            let refusal = room.receive(
                frame, from: loop.client, loop.stamp.sender, connectedSince: 0)
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

    /// Reads the newest entry of the log, which the room has just reduced, as the next start will.
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
        // From here on alike again: the test is told of each problem once.
        replay = RoomReplay(of: room.log)
        if let snapshot = room.snapshot { replay.restore(snapshot, at: offset) }
    }
}
