/// The end of a subscription: hands values to the subscriber, which it holds weakly.
final class Delivery<Subscriber: StoreSubscriber>: Entry {
    private weak var subscriber: Subscriber?
    private var pending: Reading<Subscriber.StoreSubscriberStateType>?

    init(to subscriber: Subscriber, order: UInt64, in owner: any EntryOwner) {
        self.subscriber = subscriber
        super.init(
            order: order, subscriberID: ObjectIdentifier(subscriber), owner: owner)
    }

    /// Takes the value that the subscriber is to get when its turn comes.
    func receive(_ reading: Reading<Subscriber.StoreSubscriberStateType>) {
        pending = reading
    }

    override var isPending: Bool { pending != nil }

    override var isOrphaned: Bool { subscriber == nil }

    override func dropPending() {
        pending = nil
    }

    override func deliver(after action: (any Action)?) -> Bool {
        guard let reading = pending else { return true }
        pending = nil
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
