/// A state that changes only by actions and notifies its subscribers.
///
/// ``Store`` is the local one; a mirror of a remote state is another (see ``MirrorStoreType``).
/// Stores are not Sendable: each belongs to the actor or thread that created it.
public protocol StoreType: DispatchingStoreType {
    /// What the store holds.
    associatedtype State

    /// The current state; nil as long as there is none.
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

    /// Subscribes to what `transform` selects from the state.
    ///
    /// `newState` is called at once if there is a state, whatever filters the subscription has.
    /// Repeats are skipped if `Selected` is Equatable and the store skips repeats automatically.
    ///
    /// - Parameters:
    ///   - subscriber: held weakly, and notified as long as it exists.
    ///   - transform: selects and filters, see ``Subscription``; nil means the whole state, and
    ///     then `Selected` must be `State`.
    func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected

    /// Ends the subscription of `subscriber`. It isn't notified again, even in a round of
    /// notifications that is under way. Does nothing if there is no subscription.
    func unsubscribe(_ subscriber: any AnyStoreSubscriber)
}

/// A store whose state comes from elsewhere and isn't there at first.
///
/// A conforming class declares `public var state: State?`, so that its users get an ordinary
/// optional, and returns the same value from ``mirroredState``. Code that is generic over
/// ``StoreType`` sees ReSwift's implicitly unwrapped `state`.
public protocol MirrorStoreType: StoreType {
    /// The current state; nil until the first one has arrived.
    var mirroredState: State? { get }
}

extension MirrorStoreType {
    /// The current state, in the form that ``StoreType`` requires.
    public var state: State! { mirroredState }
}

// MARK: - Action creators

extension StoreType {
    /// A function that decides from the state which action to dispatch, if any.
    public typealias ActionCreator = (_ state: State, _ store: Self) -> (any Action)?

    /// A function that finds out later what to dispatch and then calls back with an action creator.
    public typealias AsyncActionCreator = (
        _ state: State, _ store: Self,
        _ actionCreatorCallback: @escaping (_ creator: ActionCreator) -> Void
    ) -> Void

    /// A function that receives the state after the action of an ``AsyncActionCreator``.
    public typealias DispatchCallback = (State) -> Void

    /// Asks `actionCreator` for an action and dispatches it, unless the result is nil.
    ///
    /// The store must have a state.
    public func dispatch(_ actionCreator: ActionCreator) {
        if let action = actionCreator(state, self) {
            dispatch(action)
        }
    }

    /// Starts `asyncActionCreator`; whenever it calls back, the resulting action is dispatched.
    ///
    /// The store must have a state.
    public func dispatch(_ asyncActionCreator: AsyncActionCreator) {
        dispatch(asyncActionCreator, callback: nil)
    }

    /// Starts `asyncActionCreator` and calls `callback` with the state after its first action.
    ///
    /// The creator may call back several times, and each time an action is dispatched; `callback`
    /// is called once, or never if no action comes. The store must have a state.
    public func dispatch(_ asyncActionCreator: AsyncActionCreator, callback: DispatchCallback?) {
        var waiting = callback
        asyncActionCreator(state, self) { creator in
            guard let action = creator(self.state, self) else { return }
            self.dispatch(action)
            // Cleared before the call, because the callback may make the creator call back again.
            waiting.take()?(self.state)
        }
    }
}
