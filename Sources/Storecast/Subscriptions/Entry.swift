/// One subscriber's place in the list.
class Entry {
    /// Counts up: the order of subscription is the order of notification.
    let order: UInt64
    let subscriberID: ObjectIdentifier
    /// False once unsubscribed or replaced.
    final var isActive = true
    /// Where it is among its node's members.
    final var slot = 0
    /// The version of the node's value that was last settled for this subscriber: delivered, or
    /// found to be equal to what was.
    final var seen: UInt64 = 0
    /// Has the value of the node passed through the filters and, if it passes, become pending.
    final var offer: () -> Void = {}
    /// The version of the pending value.
    final var offered: UInt64 = 0
    /// What the filters have to remember just before a delivery.
    final var commits: [() -> Void] = []

    /// Unowned: who delivers to an entry holds the list that it is in.
    unowned let owner: any EntryOwner

    init(order: UInt64, subscriberID: ObjectIdentifier, owner: any EntryOwner) {
        self.order = order
        self.owner = owner
        self.subscriberID = subscriberID
    }

    /// A value waits to be delivered.
    var isPending: Bool { preconditionFailure("Delivery overrides this") }

    /// Whether the subscriber has gone without unsubscribing.
    var isOrphaned: Bool { preconditionFailure("Delivery overrides this") }

    /// Calls the subscriber with the pending value, if there is one, and with the action that led to
    /// it; returns false if there is nobody to call any more.
    func deliver(after action: (any Action)?) -> Bool {
        preconditionFailure("Delivery overrides this")
    }

    /// Forgets the pending value.
    func dropPending() { preconditionFailure("Delivery overrides this") }
}
