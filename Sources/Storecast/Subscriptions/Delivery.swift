/// The end of a subscription: hands values to the subscriber, which it holds weakly.
final class Delivery<Subscriber: StoreSubscriber>: Entry {
    private weak var subscriber: Subscriber?
    /// Where the last stage puts the value that the subscriber is to get when its turn comes.
    let mailbox = Mailbox<Subscriber.StoreSubscriberStateType>()

    init(to subscriber: Subscriber, order: UInt64, in owner: any EntryOwner) {
        self.subscriber = subscriber
        super.init(
            order: order, subscriberID: ObjectIdentifier(subscriber), owner: owner)
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
        // Remembered before the call: the subscriber may dispatch, and what it then gets is
        // compared with this value.
        seen = offered
        for commit in commits {
            commit()
        }
        subscriber._newState(state: reading.value, action: action)
        return true
    }
}

/// What waits to be delivered, apart from the entry: that holds the stages, and they hold this.
final class Mailbox<Value> {
    var reading: Reading<Value>?
}
