/// The subscribers of one state: who they are, what they select, and what they last received.
///
/// It doesn't hold the state, which may not exist yet. The owner calls ``update(_:)`` and
/// ``deliver(after:)`` after each change. Like the store it belongs to one actor or thread.
///
/// This file is about who subscribes. `SubscriptionList+Sharing.swift` has the selections that
/// subscribers share, `SubscriptionList+Rounds.swift` the notifications, and
/// `SubscriptionList+Scopes.swift` the lists for parts of the state.
package final class SubscriptionList<State>: EntryOwner {
    private var places: [ObjectIdentifier: Place] = [:]
    /// How many entries there may be before those whose subscriber is gone are searched for.
    private var sweepThreshold = 64
    /// Kept, because creating a key path of a generic type takes a microsecond.
    let whole = KeyPathSelection<State>(whole: \State.self)

    /// All of them are `SelectionNode<State>`; see ``Node`` for why the array's type is another.
    var nodes: [Node] = []
    var sharedNodes: [SelectionKey: Node] = [:]
    /// Those with members that may be owed a value.
    var dirtyNodes: [Node] = []
    /// The entries of a round; kept to reuse the memory.
    var scratch: [Entry] = []
    /// Counts the updates.
    var version: UInt64 = 0
    let round: Round
    /// How it is connected to the list around it, if it is the list of a scope.
    var link: ScopeLink?
    var scopes: [AnyKeyPath: WeakScope] = [:]

    /// Creates an empty list.
    package convenience init() {
        self.init(round: Round())
    }

    init(round: Round) {
        self.round = round
    }

    deinit {
        link?.forget()
    }

    /// Whether nobody subscribes, neither here nor to a scope.
    ///
    /// Stored, because it is read in every dispatch, and accessing `nodes` costs more.
    package internal(set) var isEmpty = true

    /// How many subscribe; it may include some that are gone without having unsubscribed.
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
        let inputs = OperatorInputs()
        let root = Subscription<State>(derivation: whole, inputs: inputs)
        var subscription = transform.map { $0(root) } ?? Self.whole(root)
        if skipsRepeats {
            subscription = subscription.automaticallySkippingRepeats()
        }
        round.lastOrder += 1
        let entry = TypedEntry(for: subscriber, order: round.lastOrder, in: self)
        let connector = ListConnector(list: self, entry: entry)
        let connections = inputs.take()
        if subscription.derivation.isDetached {
            connectDetached(subscription, inputs: connections, entry: entry, connector: connector)
        } else {
            // The mailbox and not the entry: the entry holds the stages, which would be a cycle.
            let mailbox = entry.mailbox
            subscription.derivation.connect(to: connector) { mailbox.reading = $0 }
        }
        guard let node = connector.node else { return }
        places[entry.subscriberID] = Place(entry: entry, node: node)
        guard let current else { return }
        round.isEvaluating = true
        node.start(entry, root: current, version: version)
        round.isEvaluating = false
        deliver(alone: entry)
    }

    /// Delivers the pending value of one entry, as a round of its own or within the one under way.
    func deliver(alone entry: Entry) {
        let isOutermost = !round.isDelivering
        round.isDelivering = true
        if !entry.deliver(after: nil) { removeOrphan(entry) }
        guard isOutermost else { return }
        round.isDelivering = false
        deliverRest()
    }

    /// Notifies those that are owed a value because the subscriber notified alone has dispatched.
    func deliverRest() {
        if let link { link.deliver() } else { deliver(after: round.newestAction.take()) }
    }

    private static func whole<Value>(_ root: Subscription<State>) -> Subscription<Value> {
        guard let whole = root as? Subscription<Value> else {
            preconditionFailure(
                "A subscriber to \(Value.self) needs a transform: the state is \(State.self).")
        }
        return whole
    }

    /// Removes a subscriber, which isn't notified again. O(1), amortised. Does nothing if it
    /// doesn't subscribe.
    package func unsubscribe(_ subscriber: any AnyStoreSubscriber) {
        remove(ObjectIdentifier(subscriber))
    }

    private func remove(_ id: ObjectIdentifier) {
        guard let place = places.removeValue(forKey: id) else { return }
        place.entry.isActive = false
        place.entry.dropPending()
        place.node.leave(place.entry)
        if place.node.isEmpty, let node = place.node.vacated { removeNode(node) }
    }

    /// Removes an entry whose subscriber is gone, unless a new subscriber has the same address.
    func removeOrphan(_ entry: Entry) {
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

/// An entry and the node that it is a member of.
///
/// Not nested in the list, whose type parameter would make it, and the dictionary of places,
/// generic.
private struct Place {
    let entry: Entry
    let node: Node
}
