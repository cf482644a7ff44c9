/// One subscriber in the list.
///
/// Not generic, like ``Node``. ``TypedEntry`` knows the types of subscriber and value.
class Entry {
    /// Increases with every subscription: subscribers are notified in the order of subscription.
    let order: UInt64
    let subscriberID: ObjectIdentifier
    /// False once the subscription has ended or was replaced.
    final var isActive = true
    /// Its index among its node's members.
    final var slot = 0
    /// The version of the node's value that this subscriber is done with: it was delivered, or
    /// found to equal the one that was.
    final var seen: UInt64 = 0
    /// Passes the node's value through the filters; a value that passes them is pending.
    final var offer: () -> Void = {}
    /// The version of the pending value.
    final var offered: UInt64 = 0
    /// Called just before a delivery, so that filters remember the delivered value.
    final var commits: [() -> Void] = []

    /// Unowned: whoever delivers to an entry holds the list that contains it.
    unowned let owner: any EntryOwner

    init(order: UInt64, subscriberID: ObjectIdentifier, owner: any EntryOwner) {
        self.order = order
        self.owner = owner
        self.subscriberID = subscriberID
    }

    /// Whether a value waits to be delivered.
    var isPending: Bool { preconditionFailure("TypedEntry overrides this.") }

    /// Whether the subscriber is gone without having unsubscribed.
    var isOrphaned: Bool { preconditionFailure("TypedEntry overrides this.") }

    /// Calls the subscriber with the pending value, if there is one, and the action that led to it;
    /// returns false if the subscriber is gone.
    func deliver(after action: (any Action)?) -> Bool {
        preconditionFailure("TypedEntry overrides this.")
    }

    /// Forgets the pending value.
    func dropPending() { preconditionFailure("TypedEntry overrides this.") }
}

/// The end of a subscription: passes values to the subscriber, which it holds weakly.
final class TypedEntry<Subscriber: StoreSubscriber>: Entry {
    private weak var subscriber: Subscriber?
    let mailbox = Mailbox<Subscriber.StoreSubscriberStateType>()

    init(for subscriber: Subscriber, order: UInt64, in owner: any EntryOwner) {
        self.subscriber = subscriber
        super.init(order: order, subscriberID: ObjectIdentifier(subscriber), owner: owner)
    }

    override var isPending: Bool { mailbox.reading != nil }

    override var isOrphaned: Bool { subscriber == nil }

    override func dropPending() {
        mailbox.reading = nil
    }

    override func deliver(after action: (any Action)?) -> Bool {
        guard let reading = mailbox.reading else { return true }
        mailbox.reading = nil
        guard let subscriber else { return false }
        // Set before the call: the subscriber may dispatch, and what it then receives is compared
        // with this value.
        seen = offered
        for commit in commits {
            commit()
        }
        subscriber._newState(state: reading.value, action: action)
        return true
    }
}

/// The pending value of an entry.
///
/// An object of its own, because the entry holds the stages of its subscription, and the last of
/// them holds this.
final class Mailbox<Value> {
    var reading: Reading<Value>?
}

/// The list that contains an entry, without the type of its state.
protocol EntryOwner: AnyObject {
    /// Removes an entry whose subscriber is gone.
    func removeOrphan(_ entry: Entry)
}
