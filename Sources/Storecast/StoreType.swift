/// A state that changes by actions only and tells its subscribers.
///
/// ``Store`` is the local one; a mirror of a remote state is another (see ``MirrorStoreType``).
/// Stores are not Sendable: each belongs to the actor or thread that made it.
public protocol StoreType: DispatchingStoreType {
    /// What the store holds.
    associatedtype State

    /// The current state; nil while there is none yet.
    var state: State! { get }

    /// The whole chain: the middleware in order, then the reducer.
    var dispatchFunction: DispatchFunction! { get }

    /// Subscribes to the whole state.
    ///
    /// `newState` is called at once if there is a state, then after every change. Subscribers are
    /// held weakly; a second subscription by the same object replaces the first. Repeats are
    /// skipped if `State` is Equatable and the store skips repeats automatically.
    func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State

    /// Subscribes to what `transform` makes of the state.
    ///
    /// `newState` is called at once if there is a state, whatever filters the subscription has.
    /// Repeats are skipped if `Selected` is Equatable and the store skips repeats automatically.
    ///
    /// - Parameters:
    ///   - subscriber: is told, as long as it exists.
    ///   - transform: selects and filters, see ``Subscription``; nil means the whole state, and
    ///     then `Selected` must be `State`.
    func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected

    /// Ends the subscription of `subscriber`, which isn't notified again, even in a round of
    /// notifications that is under way. Does nothing if there is none.
    func unsubscribe(_ subscriber: any AnyStoreSubscriber)
}
