/// A part of another store's state, as a store of its own.
///
/// ```swift
/// let board: ScopedStore<Board> = store.scope(\.board)
/// board.dispatch(AddCard("…"))                        // goes to the whole store
/// board.subscribe(self) { $0.select(\.cards.count) }  // as on any store
/// ```
///
/// It has no state of its own. Its subscribers are notified in one round with those of the whole
/// store, in the order of subscription. While an Equatable part stays what it is, all of them
/// together cost one evaluation and one comparison; for that the last value is kept, so a reducer
/// that works in place copies what it changes of it. Without subscribers a scope costs nothing.
///
/// It keeps the whole store alive; its subscriptions last as long as that, even if nobody holds the
/// scope itself, and two scopes of one store by equal key paths share their subscribers. Like the
/// store it isn't Sendable.
public final class ScopedStore<State>: StoreType {
    /// The part of the store's current state; nil while that has none. One copy of the part.
    public var state: State! { read() }

    /// The chain of the whole store.
    public var dispatchFunction: DispatchFunction! { root.dispatchFunction }

    private let root: any ScopeRoot
    private let read: () -> State?
    private let subscriptions: SubscriptionList<State>
    /// What the list hangs in, which doesn't keep itself alive.
    private let parent: AnyObject

    init(
        root: any ScopeRoot, parent: AnyObject, subscriptions: SubscriptionList<State>,
        read: @escaping () -> State?
    ) {
        self.root = root
        self.parent = parent
        self.subscriptions = subscriptions
        self.read = read
    }

    /// Sends an action to the whole store; see ``Store/dispatch(_:)-(Action)``.
    public func dispatch(_ action: any Action) {
        root.dispatch(action)
    }

    /// Subscribes to the whole part; see ``StoreType/subscribe(_:)``.
    public func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State {
        subscribe(subscriber, transform: nil)
    }

    /// Subscribes to what `transform` makes of the part; see ``StoreType/subscribe(_:transform:)``.
    public func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected {
        root.prepareForSubscription()
        subscriptions.subscribe(
            subscriber, transform: transform, skipsRepeats: root.automaticallySkipsRepeats,
            current: read())
    }

    /// Ends the subscription of `subscriber` to this part; see ``StoreType/unsubscribe(_:)``. O(1).
    public func unsubscribe(_ subscriber: any AnyStoreSubscriber) {
        root.requireSameThread()
        subscriptions.unsubscribe(subscriber)
    }

    /// Runs `body` and tells all subscribers of the whole store once; see ``Store/batch(_:)``.
    public func batch<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try root.batch(body)
    }

    /// A store of a part of this part.
    public func scope<Part>(_ path: KeyPath<State, Part>) -> ScopedStore<Part> {
        let read = read
        return ScopedStore<Part>(root: root, parent: self, subscriptions: subscriptions.scope(path))
        {
            read().map { $0[keyPath: path] }
        }
    }
}
