import StorecastSync

extension Room {
    /// The action with what the journal is to keep beside what was sent.
    ///
    /// Throws a ``Rejection``, a retryable one while the state of a ``RevertTo`` is looked up.
    func completed(_ action: any SyncAction) throws(Rejection) -> any SyncAction {
        // Apart, as finding the type of a revert takes longer than all else here.
        log.definition.restore == nil ? action : try completedRevert(action)
    }

    private func completedRevert(_ action: any SyncAction) throws(Rejection) -> any SyncAction {
        guard var revert = definition.revert(action) else { return action }
        if let lookup, lookup.version == revert.version, let result = lookup.result {
            self.lookup = nil
            revert.state = try result.get()
            return revert
        }
        try check(revert)
        if lookup == nil { lookUp(revert.version) }
        // What a journal in memory keeps is found at once.
        if let lookup, lookup.version == revert.version, lookup.result != nil {
            return try completedRevert(action)
        }
        throw Rejection(
            .unavailable, "The earlier state is being looked up.", retryAfter: .milliseconds(100))
    }

    /// Whether the server's own dispatch has to wait for the state that it asks for.
    func mustLookUp(_ action: any SyncAction) -> RevertTo<State>? {
        definition.revert(action).flatMap { $0.state == nil ? $0 : nil }
    }

    /// Dispatches an action of the server's own when its state is found.
    func dispatchCompleted(
        _ revert: RevertTo<State>, as sender: Identity, _ outcome: DispatchOutcome
    ) {
        do throws(Rejection) {
            try check(revert)
        } catch {
            return outcome.settle(.failure(error))
        }
        _ = StateLookup(of: revert.version, in: log, of: name, journal: context.journal) {
            [weak self] result in
            guard let self else { return outcome.settle(.failure(Self.gone)) }
            switch result {
            case .success(let state):
                var revert = revert
                revert.state = state
                dispatch(revert, as: sender, outcome)
            case .failure(let rejection): outcome.settle(.failure(rejection))
            }
        }
    }

    private func lookUp(_ version: UInt64) {
        weak var begun: StateLookup<State>?
        let new = StateLookup(of: version, in: log, of: name, journal: context.journal) {
            [weak self] _ in
            // Whoever asked may not come back for it, and others wait for their turn.
            self?.context.host.schedule(after: .seconds(2)) { [weak self] in
                // Another of the same version may have begun since.
                if let begun, self?.lookup === begun { self?.lookup = nil }
            }
        }
        begun = new
        lookup = new
    }

    private func check(_ revert: RevertTo<State>) throws(Rejection) {
        guard revert.version > log.version else { return }
        throw Rejection(
            .invalid, "The room hasn't come to this version yet.",
            detail: "It is at \(log.version).")
    }

    private static var gone: Rejection { Rejection(.closed, "The room is closed.") }
}
