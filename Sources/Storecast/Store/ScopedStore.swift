/// A part of another store's state, as a store of its own.
///
/// ```swift
/// let board: ScopedStore<Board> = store.scope(\.board)
/// board.dispatch(AddCard("…"))                        // goes to the whole store
/// board.subscribe(self) { $0.select(\.cards.count) }  // as on any store
/// ```
///
/// It has no state of its own. Its subscribers are notified in one round with those of the whole
/// store, in the order of subscription. As long as an Equatable part doesn't change, all of them
/// together cost one evaluation and one comparison. The last value is kept for that, so a reducer
/// that works in place copies what it changes of the part. Without subscribers a scope costs
/// nothing.
///
/// It keeps the whole store alive; its subscriptions last as long as the store, even if nobody
/// holds the scope. Scopes of one store with equal key paths share their subscribers. Like the
/// store it isn't Sendable.
public final class ScopedStore<State>: StoreType {
    /// The part of the store's current state; nil if the store has no state. Copies the part.
    public var state: State! { read() }

    /// The chain of the whole store.
    public var dispatchFunction: DispatchFunction! { root.dispatchFunction }

    private let root: any ScopeRoot
    private let read: () -> State?
    private let subscriptions: SubscriptionList<State>
    /// The store or scope around this one: its subscription list must outlive this one's.
    private let parent: AnyObject

    fileprivate init(
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

    /// Subscribes to what `transform` selects from the part; see
    /// ``StoreType/subscribe(_:transform:)``.
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

    /// Runs `body` and notifies all subscribers of the whole store once; see ``Store/batch(_:)``.
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

extension Store {
    /// A store of a part of the state, for code that needs to know no more than that part.
    ///
    /// O(1). Scopes with equal key paths share their subscribers.
    public func scope<Part>(_ path: KeyPath<State, Part>) -> ScopedStore<Part> {
        ScopedStore<Part>(root: self, parent: self, subscriptions: subscriptions.scope(path)) {
            self.box.map { $0.value[keyPath: path] }
        }
    }
}

/// A store as its scopes use it: without the type of its state.
private protocol ScopeRoot: AnyObject, DispatchingStoreType {
    var dispatchFunction: DispatchFunction! { get }
    var automaticallySkipsRepeats: Bool { get }
    func prepareForSubscription()
    func requireSameThread()
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
}

extension Store: ScopeRoot {}
