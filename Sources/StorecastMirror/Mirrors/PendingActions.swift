package import StorecastSync

/// The dispatched actions of a client that have no outcome, at some moment.
package struct PendingActions: Sendable {
    /// Higher at a later moment.
    package let revision: UInt64
    /// The last dispatch that had been numbered.
    package let through: UInt64
    /// In the order of their numbers.
    package internal(set) var actions: [PendingAction]

    package init(revision: UInt64 = 0, through: UInt64 = 0, actions: [PendingAction] = []) {
        self.revision = revision
        self.through = through
        self.actions = actions
    }
}

extension Outbox {
    /// The dispatches without an outcome whose actions are known. O(n).
    package var pendingActions: PendingActions {
        PendingActions(
            revision: revision, through: lastSeq,
            actions: entries[first...].compactMap { entry in
                entry.outgoing?.action.map { PendingAction(seq: entry.seq, action: $0) }
            })
    }

    /// The dispatches without an outcome, oldest first. O(n).
    package var pendingEntries: [(seq: UInt64, action: OutgoingAction, outcome: DispatchOutcome)] {
        entries[first...].compactMap { entry in
            entry.outgoing.map { (entry.seq, $0, entry.outcome) }
        }
    }
}
