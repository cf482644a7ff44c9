import Storecast
package import StorecastWire

extension Room {
    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        var entry = JournalEntry(
            client: session.client, seq: dispatch.seq, base: dispatch.base,
            settled: dispatch.settled ?? 0, sender: session.identity, time: context.now(),
            seed: context.random.next(), actions: [])
        entry.bytes = dispatch.payload?.withBytes(\.count) ?? 0
        do {
            let action = try definition.actions.action(dispatch.type, dispatch.payload)
            try definition.actionGuards[ObjectIdentifier(type(of: action))]?(
                action, session.identity)
            entry.actions = collectActions(from: action, entry)
        } catch {
            let rejection = rejection(for: error)
            if rejection.retryable { return session.refused(dispatch.seq, rejection) }
            entry.rejection = rejection
        }
        enqueue(entry)
    }

    /// Dispatches an action of the server's own, through middleware and journal like a client's.
    package func dispatch(_ action: any SyncAction, _ outcome: DispatchOutcome) {
        guard phase == .ready else { return dispatchLater(action, outcome) }
        ownSeq += 1
        ownDispatches[ownSeq] = outcome
        var entry = JournalEntry(
            client: ownClient, seq: ownSeq, base: position.version, settled: ownSeq - 1,
            sender: .anonymous, time: context.now(), seed: context.random.next(), actions: [])
        entry.actions = collectActions(from: action, entry)
        enqueue(entry)
    }

    private func dispatchLater(_ action: any SyncAction, _ outcome: DispatchOutcome) {
        whenLoaded { [weak self] phase in
            if let self, phase == .ready { return dispatch(action, outcome) }
            outcome.settle(.failure(Rejection(.closed, "The room can't be opened.")))
        }
    }

    package func endTurn() {
        guard !batch.isEmpty, !isAppending else { return }
        let appended = batch
        batch = []
        append(appended)
    }

    /// The innermost link of the store's dispatch chain.
    func collect(_ action: any Action) {
        guard let action = action as? any SyncAction else {
            preconditionFailure(
                "A room's store takes actions that are SyncActions; \(type(of: action)) is none.")
        }
        if collecting != nil {
            collecting?.append(action)
        } else {
            // Middleware that dispatches later, or code in withStore.
            let seq = ownSeq + 1
            ownSeq = seq
            var entry = JournalEntry(
                client: ownClient, seq: seq, base: position.version, settled: seq - 1,
                sender: .anonymous, time: context.now(), seed: context.random.next(), actions: [])
            entry.actions = [stamped(action, entry, index: 0)]
            enqueue(entry)
        }
    }

    private func collectActions(
        from action: any SyncAction, _ entry: JournalEntry
    ) -> [any SyncAction] {
        if store.dispatchesDirectly { return [stamped(action, entry, index: 0)] }
        let outer = collecting
        collecting = []
        store.dispatch(stamped(action, entry, index: 0))
        let actions = collecting ?? []
        collecting = outer
        guard actions.count > 1 else { return actions }
        return actions.enumerated().map { stamped($1, entry, index: $0) }
    }

    func stamped(
        _ action: any SyncAction, _ entry: JournalEntry, index: Int
    ) -> any SyncAction {
        // The cast fails for most actions, and that is what takes it longest.
        guard !definition.actions.hasNoStamp(action), let action = action as? any Stamped
        else { return action }
        return action.stamped(
            Stamp(
                id: stampID(client: entry.client, seq: entry.seq, index: index),
                sender: entry.sender, time: entry.time,
                seed: entry.seed &+ UInt64(truncatingIfNeeded: index)))
    }

    private func enqueue(_ entry: JournalEntry) {
        if batch.isEmpty { context.host.schedule(turnOf: self) }
        batch.append(entry)
        batch[batch.count - 1].schema = definition.schema.version
    }

    func rejection(for error: any Error) -> Rejection {
        if let rejection = error as? Rejection { return rejection }
        context.host.report("A check in room '\(name)' failed: \(error)")
        return Rejection(.internal, "The server failed to handle the action.")
    }
}

extension Stamped {
    fileprivate func stamped(_ stamp: Stamp) -> any SyncAction {
        var action = self
        action.stamp = stamp
        return action
    }
}
