import StorecastClient

/// A subscriber that calls a closure.
@MainActor
final class Listener<Value>: StoreSubscriber {
    private let take: @MainActor (Value) -> Void

    init(_ take: @escaping @MainActor (Value) -> Void) {
        self.take = take
    }

    func newState(state: Value) {
        take(state)
    }
}
