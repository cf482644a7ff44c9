package import StorecastSync
package import StorecastWire

/// What clients and the server's own code dispatch, until the journal is given it.
extension Room {
    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        let refusal = receive(dispatch, from: session.origin, connectedSince: session.horizon)
        if let refusal { session.refused(dispatch.seq, refusal) }
    }

    /// Takes what a client dispatches; answers why it may come again, or nil if the log is to have
    /// its outcome.
    ///
    /// - Parameter horizon: what the room had forgotten when the client joined it.
    package func receive(
        _ dispatch: ClientFrame.Dispatch, from origin: DispatchOrigin,
        connectedSince horizon: UInt64
    ) -> Rejection? {
        let size = JournalQueue.entryOverhead + (dispatch.payload?.withBytes { $0.count } ?? 0)
        guard queue.hasPlace(for: size, limits) else {
            context.loop.flushes.counts.reached("waiting-bytes")
            return Self.busy
        }
        var entry = JournalEntry(
            origin: origin, seq: dispatch.seq, base: dispatch.base,
            settled: dispatch.settled ?? 0, time: context.now(), seed: random.next(),
            actions: [], schema: log.definition.schema.version, size: size)
        entry.isVouchedFor = dispatch.base >= horizon
        do {
            let action = try intake.action(dispatch.type, dispatch.payload, from: origin.sender)
            entry.actions = try intake.actions(from: try completed(action), entry)
            // What is large isn't kept only to be rejected. What is ahead may decide that otherwise.
            if size > Self.largeSize, queue.isEmpty, let rejection = log.rejection(of: entry) {
                throw rejection
            }
        } catch {
            let rejection = rejection(for: error)
            if rejection.retryable { return rejection }
            entry.actions = []
            entry.rejection = rejection.bounded
            entry.refused = RefusedAction(dispatch)
        }
        enqueue(entry)
        return nil
    }

    /// More than the checks of an action should have to be worth to be made twice, in bytes.
    private static var largeSize: Int { 4 << 10 }

    func enqueue(_ entry: consuming JournalEntry) {
        if queue.batch.isEmpty { context.loop.schedule(turnOf: self) }
        queue.bytes += entry.size
        queue.batch.append(entry)
    }

    static var busy: Rejection {
        Rejection(
            .busy, "The room has too many actions waiting to take another.",
            retryAfter: .seconds(1))
    }

    func rejection(for error: any Error) -> Rejection {
        Rejection(telling: error, log.failed)
    }

    // MARK: The server's own

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
        own.outcomes[seq] = outcome
    }

    /// Dispatches an action as the server's; returns its number, or nil if there is no place for
    /// it.
    func dispatch(_ action: any SyncAction, as sender: Identity = .server) -> UInt64? {
        guard queue.hasPlace(for: JournalQueue.ownSize, limits) else { return nil }
        enqueueOwn(sender) { entry throws(Rejection) in
            try definition.actions.check(action)
            return try intake.actions(from: action, entry)
        }
        return own.lastSeq
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
        guard queue.hasPlace(for: JournalQueue.ownSize, limits) else {
            return context.host.report(
                "Room '\(name)' has too much waiting; its own \(type(of: action)) is lost.")
        }
        do throws(Rejection) {
            try definition.actions.check(action)
        } catch {
            return context.host.report(
                "Room '\(name)' can't have an action of its own, which is lost: \(error)")
        }
        enqueueOwn(.server) { [log.stamped(action, $0, index: 0)] }
    }

    func enqueueOwn(
        _ sender: Identity, _ actions: (JournalEntry) throws(Rejection) -> [any SyncAction]
    ) {
        own.lastSeq += 1
        var entry = JournalEntry(
            client: own.client, seq: own.lastSeq, base: log.version, settled: own.lastSeq - 1,
            sender: sender, time: context.now(), seed: random.next(), actions: [],
            schema: definition.schema.version, size: JournalQueue.ownSize)
        do throws(Rejection) {
            entry.actions = try actions(entry)
        } catch {
            entry.rejection = error
        }
        guard queue.postponed.isEmpty else {
            queue.bytes += entry.size
            return queue.postponed.append(entry)
        }
        enqueue(entry)
    }
}
