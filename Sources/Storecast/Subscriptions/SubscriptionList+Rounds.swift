// A round notifies the subscribers whose selection has changed, in the order of subscription. If a
// subscriber changes the state, the new state is evaluated at once. When that subscriber has
// returned, the round starts again with those that haven't received the new state. So nobody
// receives an outdated state, or the same one twice.

/// The round of notifications that the lists of a store and of all its scopes share.
final class Round {
    var isDelivering = false
    /// Whether a selector or a predicate is running, which must not change the state.
    var isEvaluating = false
    /// Whether an update came during the round that is under way.
    var isOutdated = false
    /// Whether a batch is open: values are delivered when it has ended.
    var isHeld = false
    /// Counts the subscriptions to the store and to all its scopes.
    var lastOrder: UInt64 = 0
    /// The newest action reduced during the round that is under way, until it is passed on.
    var newestAction: (any Action)?
}

extension SubscriptionList {
    /// Whether a selector or a predicate is running, which must not change the state.
    var isEvaluating: Bool { round.isEvaluating }

    /// While this is true, updates are evaluated, and only new subscribers are notified.
    var isHeld: Bool {
        get { round.isHeld }
        set { round.isHeld = newValue }
    }

    /// Evaluates the selections of a new state. Calls selectors and predicates, but no subscriber.
    ///
    /// One call and one comparison per selection, plus the filters that belong to one subscriber.
    package func update(_ state: State) {
        precondition(!isEvaluating, "A selector or predicate must not change the state.")
        round.isEvaluating = true
        evaluate(state)
        round.isEvaluating = false
        round.isOutdated = round.isDelivering
    }

    /// Evaluates all selections; returns whether somebody may be owed a value.
    @discardableResult
    func evaluate(_ state: State) -> Bool {
        version += 1
        for node in nodes {
            // `node(for:use:make:)` adds nothing else to the array; a checked cast would cost more
            // than the rest of this loop.
            let selection = unsafeDowncast(node, to: SelectionNode<State>.self)
            if selection.evaluate(state, version: version), !node.isDirty {
                node.isDirty = true
                dirtyNodes.append(node)
            }
        }
        return !dirtyNodes.isEmpty
    }

    /// Notifies the subscribers whose selection has changed, in the order of subscription.
    ///
    /// Called by a subscriber it does nothing: the round that is under way goes on with the newest
    /// values.
    ///
    /// - Parameter action: what led to the newest state, for subscribers that ask.
    package func deliver(after action: (any Action)? = nil) {
        if round.isDelivering {
            round.newestAction = action
            return
        }
        if round.isHeld || dirtyNodes.isEmpty { return }
        round.isDelivering = true
        var action = action
        var due = scratch
        scratch = []
        repeat {
            round.isOutdated = false
            due.removeAll(keepingCapacity: true)
            collect(into: &due)
            // Entries removed since then have no pending value.
            for entry in due {
                if !entry.deliver(after: action) { entry.owner.removeOrphan(entry) }
                if round.isOutdated {
                    action = round.newestAction.take()
                    break
                }
            }
        } while round.isOutdated
        due.removeAll(keepingCapacity: true)
        scratch = due
        settle()
        round.isDelivering = false
    }

    private func collect(into due: inout [Entry]) {
        round.isEvaluating = true
        collectDirty(into: &due)
        round.isEvaluating = false
        if !isInOrder(due) {
            due.sort { $0.order < $1.order }
        }
    }

    /// Appends the entries that are to be notified; those of one node are in the order of
    /// subscription.
    func collectDirty(into due: inout [Entry]) {
        for node in dirtyNodes {
            node.collect(into: &due)
        }
    }

    private func isInOrder(_ entries: [Entry]) -> Bool {
        var last: UInt64 = 0
        for entry in entries {
            if entry.order < last { return false }
            last = entry.order
        }
        return true
    }

    /// Called when everyone has been notified.
    func settle() {
        for node in dirtyNodes {
            node.isDirty = false
            node.settle()
        }
        dirtyNodes.removeAll(keepingCapacity: true)
    }

    /// ``update(_:)`` and ``deliver(after:)`` in one, for owners that never change the state in
    /// place: it is held until the last subscriber has returned.
    package func notify(_ state: State) {
        update(state)
        deliver()
    }

    /// Releases the state as far as a round or batch under way holds it. Call it before a change in
    /// place, which would otherwise copy what is held, and ``update(_:)`` after the change.
    func releaseState() {
        for node in dirtyNodes {
            node.releaseState()
        }
    }
}
