import Storecast
import StorecastWire

extension Room {
    /// Reads the room's history, so that the state is what it was: the newest snapshot that is
    /// good, and what came behind it.
    func load() {
        context.journal.open(name) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let history):
                position.epoch = history.epoch
                if history.head > 0 { loadSnapshot(history.head, of: history) } else { end(.ready) }
            case .failure(let error): end(.failed(error))
            }
        }
    }

    private func loadSnapshot(_ offset: UInt64, of history: RoomHistory) {
        context.journal.loadSnapshot(of: name, through: offset) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let kept?) where kept.offset <= offset: restore(kept, of: history)
            case .success: replay(history)
            case .failure(.damaged(let problem)):
                passOver("of room '\(name)' can't be read: \(problem)")
                replay(history)
            case .failure(let error): end(.failed(error))
            }
        }
    }

    /// Reads and checks a snapshot away from the loop, as it may be large.
    private func restore(_ kept: JournalSnapshot, of history: RoomHistory) {
        let (definition, limits) = (definition, limits)
        context.host.offload({ Result { try RoomSnapshot(kept, of: definition, limits: limits) } })
        {
            [weak self] result in self?.restore(result, kept, of: history)
        }
    }

    private func restore(
        _ result: Result<RoomSnapshot<State>, any Error>, _ kept: JournalSnapshot,
        of history: RoomHistory
    ) {
        switch result {
        case .success(let snapshot):
            restore(snapshot, at: kept.offset)
            snapshots.found(at: kept.offset, size: kept.content.count)
            replay(history)
        case .failure(let error):
            passOver(
                "at offset \(kept.offset) of room '\(name)' can't be used: "
                    + JSONCoding.message(for: error))
            if kept.offset > 0 {
                loadSnapshot(kept.offset - 1, of: history)
            } else {
                replay(history)
            }
        }
    }

    private func passOver(_ problem: String) {
        context.host.report("The snapshot \(problem) More of the log is read instead.")
    }

    func restore(_ snapshot: RoomSnapshot<State>, at offset: UInt64) {
        store.replaceState(snapshot.state)
        ledger = snapshot.ledger
        attendance = Attendance(present: snapshot.present)
        position.version = snapshot.version
        self.offset = offset
    }

    private func replay(_ history: RoomHistory) {
        guard offset < history.head else { return end(.ready) }
        let start = offset
        let tail = context.journal.tail(of: name, after: start) { [weak self] event in
            guard let self else { return }
            replay(event)
            let head = max(history.head, offset)
            context.host.progressed(
                RoomProgress(room: name, done: offset - start, total: head - start))
        }
        if phase == .loading { self.tail = tail } else { tail.cancel() }
    }

    private func replay(_ event: JournalTailEvent) {
        guard phase == .loading else { return }
        switch event {
        case .entries(let records):
            for (offset, record) in records { replay(record, at: offset) }
            context.journal.reduced()
        case .caughtUp:
            end(unreadable.isEmpty ? .ready : .failed(.damaged("\(unreadable)")))
        case .failed(let error): end(.failed(error))
        }
    }

    /// Reduces what the journal kept. After something that can't be read nothing is reduced, but
    /// the rest is looked through, so that everything can be told at once.
    func replay(_ record: JournalRecord, at offset: UInt64) {
        context.journal.reducing(offset, of: name, isNew: false)
        let entry = entry(record, offset)
        if unreadable.isEmpty { commit(entry) }
        self.offset = offset
        snapshots.note(entries: 1, bytes: entryOverhead + record.payloadBytes)
    }

    /// The entry with its actions as they were reduced: typed, and stamped anew from the entry. Of one
    /// that is rejected they aren't looked at.
    func entry(_ record: JournalRecord, _ offset: UInt64) -> JournalEntry {
        var entry = JournalEntry(
            client: record.client, seq: record.seq, base: record.base, settled: record.settled,
            sender: record.sender, time: record.time, seed: record.seed, actions: [],
            rejection: record.rejection, refused: record.refused, schema: record.schema)
        guard record.rejection == nil else { return entry }
        for (index, recorded) in record.actions.enumerated() {
            do {
                guard let action = try definition.action(recorded, of: record.schema) else {
                    continue
                }
                entry.actions.append(stamped(action, entry, index: index))
            } catch let rejection as Rejection where rejection.code == .unknownAction {
                unreadable.note(recorded.type, at: offset, nil)
            } catch {
                unreadable.note(recorded.type, at: offset, JSONCoding.message(for: error))
            }
        }
        return entry
    }

    func end(_ phase: RoomPhase) {
        // What was given up isn't opened any more, whatever the journal says then.
        guard self.phase == .loading else { return }
        self.phase = phase
        tail?.cancel()
        tail = nil
        if case .failed(let error) = phase {
            context.host.report("The journal of room '\(name)' can't be read: \(error)")
        } else {
            // Not before: what follows a room isn't told its past.
            definition.opening(store)
            openingSubscribers = store.subscriptions.count
            awaitPresent()
            takeSnapshotIfDue()
        }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(phase) }
    }

    package func whenLoaded(_ body: @escaping (RoomPhase) -> Void) {
        if phase == .loading { waiting.append(body) } else { body(phase) }
    }
}
