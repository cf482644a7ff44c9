import Storecast

/// Subscribes in the place of an observed store, whose interface has no `newState` for that.
final class Listener<Value>: StoreSubscriber {
    /// What came before anyone wanted to receive it.
    var first: Value?
    var receive: ((Value) -> Void)?

    func newState(state: Value) {
        if let receive { receive(state) } else { first = state }
    }
}
