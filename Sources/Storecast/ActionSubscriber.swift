/// A subscriber that wants to know which action led to a new state.
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
    /// The type of what it subscribes to, found from ``newState(state:action:)``.
    associatedtype StoreSubscriberStateType

    /// Called like ``StoreSubscriber/newState(state:)``, with the newest action behind the state.
    ///
    /// - Parameters:
    ///   - state: the current state.
    ///   - action: the last one that was reduced. It is nil at the first call, which comes on
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
