/// The subscribers of one state: who they are, what they select, and what they were told last.
///
/// It doesn't hold the state, which may not exist yet. The owner calls ``update(_:)`` and
/// ``deliver()`` after each change. Like the store it belongs to one actor or thread.
///
/// A round of notifications goes in the order of subscription. If a subscriber changes the state,
/// the new state is evaluated at once, and when the subscriber has returned the round begins again
/// with those who haven't seen that state, so nobody is shown an older one or the same one twice.
package final class SubscriptionList<State> {
    private struct Place {
        let entry: Entry
        let node: SelectionNode<State>
    }

    private var places: [ObjectIdentifier: Place] = [:]
    private var nodes: [SelectionNode<State>] = []
    private var sharedNodes: [SelectionKey: SelectionNode<State>] = [:]
    /// Those whose members may be owed a value.
    private var dirtyNodes: [SelectionNode<State>] = []
    /// The entries of the round, kept for their memory.
    private var scratch: [Entry] = []
    /// Counts the updates.
    private var version: UInt64 = 0
    private var lastOrder: UInt64 = 0
    /// How many entries there may be before those without a subscriber are looked for.
    private var sweepThreshold = 64
    private var isDelivering = false
    /// A selector or a predicate is running, which must not change the state.
    package private(set) var isEvaluating = false
    /// An update came during a round.
    private var isOutdated = false

    /// Makes an empty list.
    package init() {}

    /// Whether nobody subscribes.
    ///
    /// Stored, because it is asked for at every dispatch and the dictionary's type is generic.
    package private(set) var isEmpty = true

    /// How many subscribe; some of them may have gone without saying so.
    package var count: Int { places.count }

    /// Adds a subscriber, or replaces its subscription, and calls it at once if there is a state.
    ///
    /// O(1), and one evaluation unless the selection is shared and already compared.
    ///
    /// - Parameters:
    ///   - subscriber: held weakly.
    ///   - transform: selects and filters; nil means the whole state.
    ///   - skipsRepeats: whether to skip repeats of values that are Equatable.
    ///   - current: the state, if there is one; it must be that of the last update.
    package func subscribe<Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: (
            (Subscription<State>) -> Subscription<Subscriber.StoreSubscriberStateType>
        )?,
        skipsRepeats: Bool, current: State?
    ) {
        unsubscribe(subscriber)
        sweepIfGrown()
        let taps = Taps()
        let root = Subscription<State>(derivation: KeyPathSelection(\State.self), taps: taps)
        var subscription = transform.map { $0(root) } ?? Self.whole(root)
        if skipsRepeats {
            subscription = subscription.automaticallySkippingRepeats()
        }
        lastOrder += 1
        let entry = Delivery(to: subscriber, order: lastOrder)
        let connector = ListConnector(list: self, entry: entry)
        if subscription.derivation.isDetached {
            connectDetached(subscription, taps: taps.take(), entry: entry, connector: connector)
        } else {
            _ = taps.take()
            subscription.derivation.connect(to: connector) { entry.receive($0) }
        }
        guard let node = connector.node else { return }
        places[entry.subscriberID] = Place(entry: entry, node: node)
        isEmpty = false
        guard let current else { return }
        isEvaluating = true
        node.start(entry, root: current, version: version)
        isEvaluating = false
        deliver(alone: entry)
    }

    /// Removes a subscriber, which isn't notified again. O(1), amortised; nothing if it isn't here.
    package func unsubscribe(_ subscriber: any AnyStoreSubscriber) {
        remove(ObjectIdentifier(subscriber))
    }

    /// Evaluates what is selected from a new state. Calls selectors and predicates, no subscriber.
    ///
    /// One call and one comparison per selection, plus the filters of subscribers that have their
    /// own.
    package func update(_ state: State) {
        precondition(!isEvaluating, "A selector or predicate must not change the state.")
        isEvaluating = true
        version += 1
        for node in nodes where node.evaluate(state, version: version) && !node.isDirty {
            node.isDirty = true
            dirtyNodes.append(node)
        }
        isEvaluating = false
        isOutdated = isDelivering
    }

    /// Notifies the subscribers whose selection has changed, in the order of subscription.
    ///
    /// Called by a subscriber, it does nothing: the round that is under way goes on with the
    /// newest values.
    package func deliver() {
        if isDelivering || dirtyNodes.isEmpty { return }
        isDelivering = true
        var due = scratch
        scratch = []
        repeat {
            isOutdated = false
            due.removeAll(keepingCapacity: true)
            collect(into: &due)
            // Who has unsubscribed since has nothing pending any more.
            for entry in due {
                if !entry.deliver() { removeOrphan(entry) }
                if isOutdated { break }
            }
        } while isOutdated
        due.removeAll(keepingCapacity: true)
        scratch = due
        for node in dirtyNodes {
            node.isDirty = false
            node.settle()
        }
        dirtyNodes.removeAll(keepingCapacity: true)
        isDelivering = false
    }

    /// ``update(_:)`` and ``deliver()`` in one, for an owner to whom a copy doesn't matter: the
    /// state is held until the last subscriber has returned.
    package func notify(_ state: State) {
        update(state)
        deliver()
    }

    /// Lets go of the state, as far as a round under way holds it. To be called before a change in
    /// place, which would otherwise copy what is still held; ``update(_:)`` has to follow.
    package func releaseState() {
        guard isDelivering else { return }
        for node in dirtyNodes {
            node.releaseState()
        }
    }

    // MARK: Inside a round

    private func collect(into due: inout [Entry]) {
        isEvaluating = true
        for node in dirtyNodes {
            node.collect(into: &due)
        }
        isEvaluating = false
        // Each node's members are in order; it is only between several that they have to be merged.
        if dirtyNodes.count > 1, !isInOrder(due) {
            due.sort { $0.order < $1.order }
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

    /// Delivers what waits for one entry, as a round of its own or within the one under way.
    private func deliver(alone entry: Entry) {
        let isOutermost = !isDelivering
        isDelivering = true
        if !entry.deliver() { removeOrphan(entry) }
        guard isOutermost else { return }
        isDelivering = false
        deliver()
    }

    // MARK: Making and removing entries

    /// The node for a selection: the shared one, or what `make` makes.
    func node<Node: SelectionNode<State>>(
        for path: AnyKeyPath?, skipsRepeats: Bool, make: () -> Node
    ) -> Node {
        let key = path.map { SelectionKey(path: $0, skipsRepeats: skipsRepeats) }
        if let key, let shared = sharedNodes[key] as? Node {
            return shared
        }
        let node = make()
        node.key = key
        node.index = nodes.count
        nodes.append(node)
        if let key {
            sharedNodes[key] = node
        }
        return node
    }

    /// Connects a subscription that goes through an operator of the user's own, which takes the
    /// values from the taps and may give on what it makes of them later, outside any round.
    private func connectDetached<Subscriber: StoreSubscriber>(
        _ subscription: Subscription<Subscriber.StoreSubscriberStateType>, taps: [any Tap],
        entry: Delivery<Subscriber>, connector: ListConnector<State>
    ) {
        let root = RootConnector<State>(for: entry)
        for tap in taps {
            tap.connect(to: root)
        }
        connector.connect(KeyPathSelection<State>(\State.self), stage: root.push)
        subscription.derivation.connect(to: connector) { [weak self, weak entry] reading in
            guard let self, let entry, entry.isActive else { return }
            entry.receive(reading)
            if !isEvaluating { deliver(alone: entry) }
        }
    }

    private static func whole<Value>(_ root: Subscription<State>) -> Subscription<Value> {
        guard let whole = root as? Subscription<Value> else {
            preconditionFailure(
                "A subscriber to \(Value.self) needs a transform: the state is \(State.self).")
        }
        return whole
    }

    private func remove(_ id: ObjectIdentifier) {
        guard let place = places.removeValue(forKey: id) else { return }
        isEmpty = places.isEmpty
        place.entry.isActive = false
        place.entry.dropPending()
        place.node.leave(place.entry)
        if place.node.isEmpty { removeNode(place.node) }
    }

    private func removeNode(_ node: SelectionNode<State>) {
        if let key = node.key { sharedNodes[key] = nil }
        let last = nodes.removeLast()
        if last !== node {
            nodes[node.index] = last
            last.index = node.index
        }
    }

    /// Removes the place of an entry whose subscriber has gone, unless another has its address now.
    private func removeOrphan(_ entry: Entry) {
        if places[entry.subscriberID]?.entry === entry { remove(entry.subscriberID) }
    }

    private func sweepIfGrown() {
        guard places.count >= sweepThreshold else { return }
        for place in places.values where place.entry.isOrphaned {
            remove(place.entry.subscriberID)
        }
        sweepThreshold = max(64, places.count * 2)
    }
}
