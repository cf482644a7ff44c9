/// The subscribers of one state: who they are, what they select, and what they were told last.
///
/// It doesn't hold the state, which may not exist yet. The owner calls ``update(_:)`` and
/// ``deliver(after:)`` after each change. Like the store it belongs to one actor or thread.
///
/// A round of notifications goes in the order of subscription. If a subscriber changes the state,
/// the new state is evaluated at once, and when the subscriber has returned the round begins again
/// with those who haven't seen that state, so nobody is shown an older one or the same one twice.
package final class SubscriptionList<State>: EntryOwner {
    private var places: [ObjectIdentifier: Place] = [:]
    /// All of them `SelectionNode<State>`; see ``Node`` for why the array doesn't say so.
    private var nodes: [Node] = []
    private var sharedNodes: [SelectionKey: Node] = [:]
    /// Those whose members may be owed a value.
    private var dirtyNodes: [Node] = []
    /// The entries of the round, kept for their memory.
    private var scratch: [Entry] = []
    /// Counts the updates.
    private var version: UInt64 = 0
    /// How many entries there may be before those without a subscriber are looked for.
    private var sweepThreshold = 64
    private let round: Round
    /// Kept, because making a key path of a generic type takes a microsecond.
    private let whole = KeyPathSelection<State>(whole: \State.self)
    /// How it hangs in another list, if it is that of a scope.
    private var link: ScopeLink?
    private var scopes: [AnyKeyPath: WeakScope] = [:]

    /// Makes an empty list.
    package convenience init() {
        self.init(round: Round())
    }

    private init(round: Round) {
        self.round = round
    }

    deinit {
        link?.forget()
    }

    /// Whether nobody subscribes, neither here nor to a scope.
    ///
    /// Stored, because it is asked for at every dispatch and the array's type is generic.
    package private(set) var isEmpty = true

    /// Whether a selector or a predicate is running, which must not change the state.
    package var isEvaluating: Bool { round.isEvaluating }

    /// While this is so, updates are evaluated and nobody is told but new subscribers.
    package var isHeld: Bool {
        get { round.isHeld }
        set { round.isHeld = newValue }
    }

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
        let root = Subscription<State>(derivation: whole, taps: taps)
        var subscription = transform.map { $0(root) } ?? Self.whole(root)
        if skipsRepeats {
            subscription = subscription.automaticallySkippingRepeats()
        }
        round.lastOrder += 1
        let entry = Delivery(to: subscriber, order: round.lastOrder, in: self)
        let connector = ListConnector(list: self, entry: entry)
        if subscription.derivation.isDetached {
            connectDetached(subscription, taps: taps.take(), entry: entry, connector: connector)
        } else {
            _ = taps.take()
            // Not the entry: that holds the stages.
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
        round.isEvaluating = true
        evaluate(state)
        round.isEvaluating = false
        round.isOutdated = round.isDelivering
    }

    /// Notifies the subscribers whose selection has changed, in the order of subscription.
    ///
    /// Called by a subscriber, it does nothing: the round that is under way goes on with the
    /// newest values.
    ///
    /// - Parameter action: what led to the newest state, for the subscribers that ask.
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
            // Who has unsubscribed since has nothing pending any more.
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

    /// ``update(_:)`` and ``deliver(after:)`` in one, for an owner to whom a copy doesn't matter: the
    /// state is held until the last subscriber has returned.
    package func notify(_ state: State) {
        update(state)
        deliver()
    }

    /// Lets go of the state, as far as a round or a batch under way holds it. To be called before a change in
    /// place, which would otherwise copy what is still held; ``update(_:)`` has to follow.
    package func releaseState() {
        for node in dirtyNodes {
            node.releaseState()
        }
    }

    // MARK: Inside a round

    /// Evaluates all selections; returns whether somebody may be owed a value.
    @discardableResult
    func evaluate(_ state: State) -> Bool {
        version += 1
        for node in nodes {
            // Nothing else is ever added to the array; the check would cost more than the rest.
            let selection = unsafeDowncast(node, to: SelectionNode<State>.self)
            if selection.evaluate(state, version: version), !node.isDirty {
                node.isDirty = true
                dirtyNodes.append(node)
            }
        }
        return !dirtyNodes.isEmpty
    }

    /// Appends those that want their value, each selection's in the order of subscription.
    func collectDirty(into due: inout [Entry]) {
        for node in dirtyNodes {
            node.collect(into: &due)
        }
    }

    /// Everyone has been notified.
    func settle() {
        for node in dirtyNodes {
            node.isDirty = false
            node.settle()
        }
        dirtyNodes.removeAll(keepingCapacity: true)
    }

    private func collect(into due: inout [Entry]) {
        round.isEvaluating = true
        collectDirty(into: &due)
        round.isEvaluating = false
        if !isInOrder(due) {
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
        let isOutermost = !round.isDelivering
        round.isDelivering = true
        if !entry.deliver(after: nil) { removeOrphan(entry) }
        guard isOutermost else { return }
        round.isDelivering = false
        deliverRest()
    }

    /// Notifies those who are owed a value because the one told alone has dispatched.
    private func deliverRest() {
        if let link { link.deliver() } else { deliver(after: round.newestAction.take()) }
    }

    // MARK: Making and removing entries

    /// The node for a selection: the shared one, or what `make` makes.
    func node<Selection: SelectionNode<State>>(
        for path: AnyKeyPath?, use: SelectionKey.Use, make: () -> Selection
    ) -> Selection {
        let key = path.map { SelectionKey(path: $0, use: use) }
        if let key, let shared = sharedNodes[key] as? Selection {
            return shared
        }
        let node = make()
        node.key = key
        node.index = nodes.count
        nodes.append(node)
        if let key {
            sharedNodes[key] = node
        }
        if isEmpty {
            isEmpty = false
            link?.attach()
        }
        return node
    }

    /// Connects a subscription that goes through an operator of the user's own, which takes the
    /// values from the taps and may give on what it makes of them later, outside any round.
    private func connectDetached<Subscriber: StoreSubscriber>(
        _ subscription: Subscription<Subscriber.StoreSubscriberStateType>,
        taps: [(any Connector) -> Void], entry: Delivery<Subscriber>,
        connector: ListConnector<State>
    ) {
        let root = RootConnector<State>(for: entry)
        for tap in taps {
            tap(root)
        }
        connector.connect(whole, stage: root.push)
        subscription.derivation.connect(to: connector) { [weak self, weak entry] reading in
            guard let self, let entry, entry.isActive else { return }
            entry.mailbox.reading = reading
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
        place.entry.isActive = false
        place.entry.dropPending()
        place.node.leave(place.entry)
        if place.node.isEmpty { removeNode(place.node) }
    }

    private func removeNode(_ node: Node) {
        if let key = node.key { sharedNodes[key] = nil }
        let last = nodes.removeLast()
        if last !== node {
            nodes[node.index] = last
            last.index = node.index
        }
        if nodes.isEmpty {
            // Nobody is owed a value any more, and nobody would settle.
            dirtyNodes.removeAll()
            isEmpty = true
            link?.detach()
        }
    }

    /// Removes the place of an entry whose subscriber has gone, unless another has its address now.
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

    // MARK: Scopes

    /// The list of the part of the state at `path`, the same one for as long as somebody holds it
    /// or subscribes to it.
    ///
    /// It takes part in this list's rounds, so the order of notification is that of subscription
    /// across all scopes. Whoever holds it must hold this list too.
    func scope<Part>(_ path: KeyPath<State, Part>) -> SubscriptionList<Part> {
        if let list = scopes[path]?.list as? SubscriptionList<Part> { return list }
        let list = SubscriptionList<Part>(round: round)
        list.link = ScopeLink(
            attach: { [unowned self, unowned list] in attach(list, at: path) },
            detach: { [unowned self] in detachScope(at: path) },
            deliver: { [unowned self] in deliverRest() },
            // Weak: the list may go together with this one.
            forget: { [weak self] in self?.scopes[path] = nil })
        scopes[path] = WeakScope(list: list)
        return list
    }

    private func attach<Part>(_ list: SubscriptionList<Part>, at path: KeyPath<State, Part>) {
        _ = node(for: path, use: .scope) {
            ScopeNode<State, Part>(list) { $0[keyPath: path] }
        }
    }

    private func detachScope(at path: AnyKeyPath) {
        guard let node = sharedNodes[SelectionKey(path: path, use: .scope)] else { return }
        removeNode(node)
    }
}
