/// An object that is notified of new states.
public protocol StoreSubscriber: AnyStoreSubscriber {
    /// The type of what it subscribes to: the store's state, or what the subscription selects.
    associatedtype StoreSubscriberStateType

    /// Called with the current state on subscribing, and with every later one.
    ///
    /// It may dispatch, subscribe and unsubscribe. An action dispatched here is reduced at once;
    /// subscribers that are still to be notified then receive only the newest state, and this one
    /// receives it after this call has returned, never inside it.
    func newState(state: StoreSubscriberStateType)

    /// What the store calls. Implemented for you: it calls ``newState(state:)``, or, in an
    /// ``ActionSubscriber``, the function that takes the action as well.
    func _newState(state: StoreSubscriberStateType, action: (any Action)?)
}

extension StoreSubscriber {
    /// Calls ``newState(state:)`` if `state` has the right type.
    public func _newState(state: Any) {
        if let typed = state as? StoreSubscriberStateType {
            newState(state: typed)
        }
    }

    /// Calls ``newState(state:)`` without the action.
    public func _newState(state: StoreSubscriberStateType, action: (any Action)?) {
        newState(state: state)
    }
}

/// A subscriber that also receives the action that led to a new state.
///
/// ```swift
/// final class Journal: ActionSubscriber {
///     func newState(state: AppState, action: (any Action)?) { … }
/// }
/// ```
///
/// Name this protocol where the class is declared: a subclass that adds it to a plain
/// ``StoreSubscriber`` is still called without the action.
public protocol ActionSubscriber: StoreSubscriber {
    /// The type of what it subscribes to, inferred from ``newState(state:action:)``.
    associatedtype StoreSubscriberStateType

    /// Called like ``StoreSubscriber/newState(state:)``, with the newest action behind the state.
    ///
    /// - Parameters:
    ///   - state: the current state.
    ///   - action: the last one that was reduced. It is nil in the first call, which comes on
    ///     subscribing, and when the state was replaced without an action. If there were several
    ///     since this subscriber was last called (in a batch, from a subscriber before it in the
    ///     round, or without effect on what it selects), it is the last of them. To see every
    ///     action use a ``Middleware``.
    func newState(state: StoreSubscriberStateType, action: (any Action)?)
}

extension ActionSubscriber {
    /// Calls ``newState(state:action:)`` without an action.
    public func newState(state: StoreSubscriberStateType) {
        newState(state: state, action: nil)
    }

    /// Calls ``newState(state:action:)``.
    public func _newState(state: StoreSubscriberStateType, action: (any Action)?) {
        newState(state: state, action: action)
    }
}

/// A subscriber whose state type isn't known, as ``StoreType/unsubscribe(_:)`` takes it.
///
/// Conform to ``StoreSubscriber`` instead, which implements this.
public protocol AnyStoreSubscriber: AnyObject {
    /// Takes a state if it has the right type, and ignores it otherwise.
    func _newState(state: Any)
}
