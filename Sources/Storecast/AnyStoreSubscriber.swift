/// A subscriber whose state's type isn't known, as ``StoreType/unsubscribe(_:)`` takes it.
///
/// Conform to ``StoreSubscriber`` instead, which implements this.
public protocol AnyStoreSubscriber: AnyObject {
    /// Takes a state if it has the right type, ignores it otherwise.
    func _newState(state: Any)
}
