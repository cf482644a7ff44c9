import Storecast
package import StorecastWire

extension Room {
    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        let refusal = receive(
            dispatch, from: session.client, session.identity, connectedSince: session.horizon)
        if let refusal { session.refused(dispatch.seq, refusal) }
    }

    /// Takes what a client dispatches; answers why it may come again, or nil if the log is to have its
    /// outcome.
    ///
    /// - Parameter horizon: what the room had forgotten when the client joined it.
    package func receive(
        _ dispatch: ClientFrame.Dispatch, from client: String, _ sender: Identity,
        connectedSince horizon: UInt64
    ) -> Rejection? {
        let size = entryOverhead + (dispatch.payload?.withBytes { $0.count } ?? 0)
        guard hasPlace(for: size) else { return Self.busy }
        var entry = JournalEntry(
            client: client, seq: dispatch.seq, base: dispatch.base,
            settled: dispatch.settled ?? 0, sender: sender, time: context.now(),
            seed: context.random.next(), actions: [], schema: definition.schema.version,
            size: size)
        entry.isVouchedFor = dispatch.base >= horizon
        do {
            let action = try definition.actions.action(dispatch.type, dispatch.payload)
            try definition.actionGuards[ObjectIdentifier(type(of: action))]?(action, sender)
            entry.actions = collectActions(from: try completed(action), entry)
        } catch {
            let rejection = rejection(for: error)
            if rejection.retryable { return rejection }
            entry.rejection = rejection.bounded
            entry.refused = RefusedAction(dispatch)
        }
        enqueue(entry)
        return nil
    }

    package func endTurn() {
        guard !isAppending else { return }
        forgetSurplus()
        guard !batch.isEmpty else { return }
        vouch()
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
            // Middleware or a subscriber that dispatches later, or code in withStore.
            dispatchCollected(action)
        }
    }

    func collectActions(
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
        return action.stamped(context.stamp(entry, index))
    }

    func enqueue(_ entry: JournalEntry) {
        if batch.isEmpty { context.loop.schedule(turnOf: self) }
        heldBytes += entry.size
        batch.append(entry)
    }

    /// Whether an entry more may wait for the journal; one always may.
    func hasPlace(for size: Int) -> Bool {
        heldBytes == 0 || heldBytes + size <= limits.waitingBytes
    }

    /// What an entry takes beside its payload, or without one, about; in bytes.
    var entryOverhead: Int { 256 }

    static var busy: Rejection {
        Rejection(
            .busy, "The room has too many actions waiting to take another.",
            retryAfter: .seconds(1))
    }

    func rejection(for error: any Error) -> Rejection {
        if let rejection = error as? Rejection { return rejection }
        context.host.report("A check in room '\(name)' failed: \(JSONCoding.message(for: error))")
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
