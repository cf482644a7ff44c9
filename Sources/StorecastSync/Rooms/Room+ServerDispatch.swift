import Storecast

/// What the server's own code dispatches: under a client id of this process's own, so that its
/// numbers never meet those of a process before.
extension Room {
    /// Dispatches an action of the server's own through middleware and journal, like a client's.
    ///
    /// While the journal is unavailable it waits, in order, as what clients sent does with them. It
    /// has exactly one outcome: at once only if the room has too much waiting already (`busy`).
    package func dispatch(
        _ action: any SyncAction, as sender: Identity = .server, _ outcome: DispatchOutcome
    ) {
        guard phase == .ready else { return dispatchLater(action, sender, outcome) }
        if let revert = mustLookUp(action) { return dispatchCompleted(revert, as: sender, outcome) }
        guard let seq = dispatch(action, as: sender) else {
            return outcome.settle(.failure(Self.busy))
        }
        ownDispatches[seq] = outcome
    }

    /// Dispatches an action as the server's; returns its number, or nil if there is no place for it.
    func dispatch(_ action: any SyncAction, as sender: Identity = .server) -> UInt64? {
        guard hasPlace(for: ownSize) else { return nil }
        enqueueOwn(sender) { collectActions(from: action, $0) }
        return ownSeq
    }

    private func dispatchLater(
        _ action: any SyncAction, _ sender: Identity, _ outcome: DispatchOutcome
    ) {
        whenLoaded { [weak self] phase in
            if let self, phase == .ready { return dispatch(action, as: sender, outcome) }
            outcome.settle(.failure(Rejection(.closed, "The room can't be opened.")))
        }
    }

    /// Dispatches an action that has been through the middleware; nobody asks for its outcome.
    func dispatchCollected(_ action: any SyncAction) {
        guard hasPlace(for: ownSize) else {
            return context.host.report(
                "Room '\(name)' has too much waiting; its own \(type(of: action)) is lost.")
        }
        enqueueOwn(.server) { [stamped(action, $0, index: 0)] }
    }

    func enqueueOwn(_ sender: Identity, _ actions: (JournalEntry) -> [any SyncAction]) {
        ownSeq += 1
        var entry = JournalEntry(
            client: ownClient, seq: ownSeq, base: position.version, settled: ownSeq - 1,
            sender: sender, time: context.now(), seed: context.random.next(), actions: [],
            schema: definition.schema.version, size: ownSize)
        entry.actions = actions(entry)
        guard postponed.isEmpty else {
            heldBytes += entry.size
            return postponed.append(entry)
        }
        enqueue(entry)
    }

    package func abandon() {
        if phase == .loading { end(.failed(.unavailable("The server has ended."))) }
        let outcomes = ownDispatches.values
        ownDispatches = [:]
        for outcome in outcomes {
            outcome.settle(
                .failure(Rejection(.closed, "The server ended before the outcome was known.")))
        }
    }

    /// What an action of the server's own counts as, whatever is in it.
    private var ownSize: Int { 1024 }

    /// Keeps the server's own entries, which the journal didn't take, and those behind them.
    func postpone(_ entries: some Sequence<JournalEntry>) {
        let isFirst = postponed.isEmpty
        postponed += entries
        guard isFirst, !postponed.isEmpty else { return }
        context.host.schedule(after: .seconds(1)) { [weak self] in self?.appendPostponed() }
    }

    private func appendPostponed() {
        // They weren't appended: as good as made now.
        for place in postponed.indices { postponed[place].base = position.version }
        if batch.isEmpty { context.loop.schedule(turnOf: self) }
        batch.insert(contentsOf: postponed, at: 0)
        postponed = []
    }
}
