/// An object that wants to hear of new states.
public protocol StoreSubscriber: AnyStoreSubscriber {
    /// The type of what it subscribes to: the store's state, or what the subscription selects.
    associatedtype StoreSubscriberStateType

    /// Called with the current state on subscribing and with every later one.
    ///
    /// It may dispatch, subscribe and unsubscribe. An action dispatched here is reduced at once;
    /// who is still to be notified then gets the newest state only, and this subscriber gets it
    /// after this call has returned, never inside it.
    func newState(state: StoreSubscriberStateType)

    /// What the store calls. Implemented for you: it calls ``newState(state:)``, or in an
    /// ``ActionSubscriber`` the function that takes the action as well.
    func _newState(state: StoreSubscriberStateType, action: (any Action)?)
}

extension StoreSubscriber {
    /// Calls ``newState(state:)`` if `state` has the right type.
    public func _newState(state: Any) {
        if let typed = state as? StoreSubscriberStateType {
            newState(state: typed)
        }
    }

    /// Calls ``newState(state:)`` and leaves the action alone.
    public func _newState(state: StoreSubscriberStateType, action: (any Action)?) {
        newState(state: state)
    }
}
