import StorecastWire

extension Room {
    /// Reads the room's history, so that the state is what it was: the newest snapshot that is
    /// good, and what came behind it.
    func load() {
        let start = context.host.now
        context.journal.open(name) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let history):
                epoch = history.epoch
                if history.isTakenOver { measureTakeover(from: start) }
                if history.head > 0 {
                    loadSnapshot(history.head, of: history)
                } else {
                    replayed(history)
                }
            case .failure(let error): end(.failed(error))
            }
        }
    }

    /// Tells how long it took until the room goes on here, if it does.
    private func measureTakeover(from start: Duration) {
        whenLoaded { [weak self] phase in
            guard let self, phase == .ready else { return }
            context.host.took(context.host.now - start, .takeover)
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
            log.restore(snapshot, at: kept.offset)
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

    private func replay(_ history: RoomHistory) {
        let start = log.offset
        // Terms without entries are there to be read even if nothing else is.
        guard start < history.head || history.term != nil else { return replayed(history) }
        var newest: String?
        let tail = context.journal.tail(of: name, after: start) { [weak self] event in
            guard let self else { return }
            switch event {
            case .term(let term): newest = term
            // What was read is true, but isn't of this room's term: its clients would be told so.
            case .caughtUp where newest.map { $0.isSameText(as: history.term ?? "") } == false:
                return end(.failed(.replaced("Another server has taken it over meanwhile.")))
            default: break
            }
            replay(event, of: history)
            let head = max(history.head, log.offset)
            context.host.progressed(
                RoomProgress(room: name, done: log.offset - start, total: head - start))
        }
        if phase == .loading { self.tail = tail } else { tail.cancel() }
    }

    private func replay(_ event: JournalTailEvent, of history: RoomHistory) {
        guard phase == .loading else { return }
        switch event {
        case .entries(let records):
            for (offset, record) in records { replay(record, at: offset) }
            context.journal.reduced()
        case .term(let term): log.begin(term)
        case .caughtUp where log.offset < history.head:
            end(
                .failed(
                    .damaged(
                        "The log ends at offset \(log.offset), before \(history.head), its newest.")
                ))
        case .caughtUp: replayed(history)
        case .failed(let error): end(.failed(error))
        }
    }

    private func replay(_ record: JournalRecord, at offset: UInt64) {
        context.journal.reducing(offset, of: name, isNew: false)
        _ = log.apply(record, at: offset)
        snapshots.note(
            entries: 1, bytes: JournalQueue.entryOverhead + record.payloadBytes,
            at: context.host.now)
    }

    private func replayed(_ history: RoomHistory) {
        guard log.unreadable.isEmpty else { return end(.failed(.damaged("\(log.unreadable)"))) }
        if let term = history.term { log.begin(term) } else { log.forgetTerms() }
        end(.ready)
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
