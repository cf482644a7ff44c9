extension Room {
    package var isIdle: Bool {
        phase == .ready && (context.journal.isDurable || context.isTransient)
            && sessions.isEmpty && !hasWork
            && store.subscriptions.count <= openingSubscribers
    }

    /// Whether something is under way that this room has to see the end of.
    private var hasWork: Bool {
        !batch.isEmpty || !postponed.isEmpty || isAppending || !ownDispatches.isEmpty
            || snapshots.isWriting || lookup != nil || !attendance.isQuiet
    }

    package func prepareToUnload(_ completion: @escaping () -> Void) {
        if isIdle { prepareToEnd(completion) } else { completion() }
    }

    package func prepareToEnd(_ completion: @escaping () -> Void) {
        let isWorthwhile = phase == .ready && context.journal.isDurable && snapshots.isWorthwhile
        if isWorthwhile { takeSnapshot(completion) } else { completion() }
    }
}
