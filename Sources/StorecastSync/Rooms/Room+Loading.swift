import Storecast

extension Room {
    /// Reads the room's history, so that the state is what it was.
    func load() {
        context.journal.open(name) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let history): replay(history)
            case .failure(let error): end(.failed(error))
            }
        }
    }

    private func replay(_ history: RoomHistory) {
        position.epoch = history.epoch
        guard history.head > 0 else { return end(.ready) }
        let tail = context.journal.tail(of: name, after: 0) { [weak self] event in
            self?.replay(event)
        }
        if phase == .loading { self.tail = tail } else { tail.cancel() }
    }

    private func replay(_ event: JournalTailEvent) {
        guard phase == .loading else { return }
        switch event {
        case .entries(let records):
            do throws(JournalError) {
                for (offset, record) in records { commit(try entry(record, offset)) }
            } catch {
                end(.failed(error))
            }
        case .caughtUp: end(.ready)
        case .failed(let error): end(.failed(error))
        }
    }

    /// The entry with its actions as they were reduced: typed, and stamped anew from the entry.
    private func entry(
        _ record: JournalRecord, _ offset: UInt64
    ) throws(JournalError) -> JournalEntry {
        var entry = JournalEntry(
            client: record.client, seq: record.seq, base: record.base, settled: record.settled,
            sender: record.sender, time: record.time, seed: record.seed, actions: [],
            rejection: record.rejection)
        for (index, recorded) in record.actions.enumerated() {
            do {
                let action = try definition.actions.action(recorded)
                entry.actions.append(stamped(action, entry, index: index))
            } catch {
                throw .damaged("The entry at offset \(offset) can't be read: \(error)")
            }
        }
        return entry
    }

    private func end(_ phase: RoomPhase) {
        self.phase = phase
        tail?.cancel()
        tail = nil
        if case .failed(let error) = phase {
            context.host.report("The journal of room '\(name)' can't be read: \(error)")
        } else {
            // Not before: what follows a room isn't told its past.
            definition.opening(store)
            awaitPresent()
        }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(phase) }
    }

    package func whenLoaded(_ body: @escaping (RoomPhase) -> Void) {
        if phase == .loading { waiting.append(body) } else { body(phase) }
    }
}
