import Storecast

extension Room {
    /// Hands a batch to the journal, until it is known to be there or known not to be.
    ///
    /// - Parameter mayBeKept: an earlier try may have appended it: it can't be refused any more.
    func append(_ entries: [JournalEntry], mayBeKept: Bool = false) {
        isAppending = true
        observer?.appending()
        if lacksBeginning {
            takeSnapshot { [weak self] in self?.hand(entries, mayBeKept) }
        } else {
            hand(entries, mayBeKept)
        }
    }

    private func hand(_ entries: [JournalEntry], _ mayBeKept: Bool) {
        context.journal.append(entries, to: name) { [weak self] result in
            self?.appended(entries, result, mayBeKept)
        }
    }

    private func appended(
        _ entries: [JournalEntry], _ result: Result<UInt64, JournalError>, _ mayBeKept: Bool
    ) {
        switch result {
        case .success(let offset):
            observer?.appended()
            commit(entries, through: offset)
            observer?.committed()
            advance(to: offset, by: entries)
        case .failure(.unfit(let place, let problem)) where entries[place].rejection == nil:
            return append(entombing(place, of: entries, problem), mayBeKept: mayBeKept)
        case .failure(let error):
            var isUnknown = mayBeKept
            if case .unknownOutcome = error { isUnknown = true }
            if isUnknown { return appendLater(entries, error) }
            refuse(entries, error)
        }
        isAppending = false
        endForgetting()
        if !batch.isEmpty { context.loop.schedule(turnOf: self) }
    }

    private func appendLater(_ entries: [JournalEntry], _ error: JournalError) {
        context.host.report(
            "The journal of room '\(name)' may have taken a batch; it is appended again: \(error)")
        context.host.schedule(after: .seconds(1)) { [weak self] in
            self?.append(entries, mayBeKept: true)
        }
    }

    /// The batch with a final rejection in place of an entry that the journal can't keep.
    private func entombing(
        _ place: Int, of entries: [JournalEntry], _ problem: String
    ) -> [JournalEntry] {
        context.host.report("The journal of room '\(name)' can't keep an action: \(problem)")
        var entries = entries
        entries[place].refused = entries[place].actions.first.map { RefusedAction($0) }
        entries[place].actions = []
        entries[place].rejection = Rejection(.invalid, "The action can't be kept.")
        return entries
    }

    /// Reduces entries in the journal's order and brings the groups up to date.
    ///
    /// - Parameter offset: that of the last one.
    func commit(_ entries: [JournalEntry], through offset: UInt64) {
        let before = position.version
        for (place, entry) in entries.enumerated() {
            heldBytes -= entry.size
            let behind = UInt64(entries.count - 1 - place)
            context.journal.reducing(offset &- behind, of: name, isNew: true)
            commit(entry)
        }
        context.journal.reduced()
        if position.version != before { evaluateGroups() }
        if mayForget { context.loop.schedule(turnOf: self) }
    }

    func commit(_ entry: JournalEntry) {
        switch ledger.verdict(on: entry) {
        case .duplicate: return
        case .expired:
            settle(entry, .forgotten)
        case .fresh:
            let rejection = entry.rejection ?? reduce(entry)
            if rejection == nil { reduced(entry) }
            settle(entry, rejection)
        }
    }

    private func reduced(_ entry: JournalEntry) {
        position.version += 1
        guard definition.grace != nil else { return }
        for action in entry.actions { attendance.reduced(action) }
    }

    /// Validates and reduces; a rejection leaves the state as it was.
    private func reduce(_ entry: JournalEntry) -> Rejection? {
        do {
            guard
                definition.verification != nil
                    || entry.actions.count > 1 && !definition.validators.isEmpty
            else {
                if let action = entry.actions.first { try validate(action, entry.sender) }
                // One by one: the array as it is would be converted, with a cast for each.
                for action in entry.actions { apply(action) }
                store.announce()
                return nil
            }
            return try reduceTogether(entry)
        } catch {
            return final(rejection(for: error))
        }
    }

    /// All of what middleware made of a dispatch, or nothing of it: also if it leads to a state
    /// that can't be kept.
    private func reduceTogether(_ entry: JournalEntry) throws -> Rejection? {
        guard let before = store.state else { return nil }
        do {
            for action in entry.actions {
                try validate(action, entry.sender)
                apply(action)
            }
            if let state = store.state { try definition.verify(state) }
            store.announce()
            return nil
        } catch {
            store.replaceState(before)
            throw error
        }
    }

    private func validate(_ action: any SyncAction, _ sender: Identity) throws {
        guard let check = definition.validators[ObjectIdentifier(type(of: action))] else { return }
        guard let state = store.state else { return }
        try check(state, action, sender)
    }

    /// What stands in the log is final, whatever the check says.
    private func final(_ rejection: Rejection) -> Rejection {
        var rejection = rejection
        rejection.retryable = false
        rejection.retryAfter = nil
        return rejection
    }

    private func settle(_ entry: JournalEntry, _ rejection: Rejection?) {
        let rejection = rejection?.bounded
        ledger.settle(entry, rejection, at: position.version)
        observer?.settled(entry, rejection, at: position.version)
        if let orphan = orphans[entry.client], entry.seq >= orphan.lastSeq {
            orphans[entry.client] = nil
            left(entry.client)
        }
        if entry.client == ownClient {
            ownDispatches.removeValue(forKey: entry.seq)?
                .settle(rejection.map { .failure($0) } ?? .success(position))
            settledAnnouncement(entry.seq)
        } else {
            sessions[entry.client]?.settled(entry.seq, rejection)
        }
    }

    /// Nothing was appended: each client's first dispatch may come again, and all behind it. The
    /// server's own are kept, in their order.
    private func refuse(_ entries: [JournalEntry], _ error: JournalError) {
        context.host.report("The journal of room '\(name)' took nothing: \(error)")
        let rejection = Rejection(
            .unavailable, "The server can't take actions now.", retryAfter: .seconds(1))
        var refused: Set<String> = []
        // What an earlier connection had sent already may be settled by now.
        for entry in entries
        where entry.client != ownClient && ledger.verdict(on: entry) != .duplicate {
            guard refused.insert(entry.client).inserted else { continue }
            sessions[entry.client]?.refused(entry.seq, rejection)
            if orphans.removeValue(forKey: entry.client) != nil { left(entry.client) }
        }
        let waiting = entries + batch
        batch = batch.filter { $0.client != ownClient && !refused.contains($0.client) }
        // Whom to forget is decided anew.
        postpone(
            waiting.filter { $0.client == ownClient && !($0.actions.first is ForgetClients) })
        heldBytes = (batch + postponed).reduce(0) { $0 + $1.size }
    }
}
