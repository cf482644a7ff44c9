import Storecast

/// A subscriber that writes down what it gets and can be told what to do about it.
final class Observer<Value>: StoreSubscriber {
    private(set) var received: [Value] = []
    var reaction: ((Value) -> Void)?
    private let log: ((Value) -> Void)?

    init(log: ((Value) -> Void)? = nil) {
        self.log = log
    }

    func newState(state: Value) {
        // The reaction comes first, so that a call from within would be seen out of order.
        reaction?(state)
        log?(state)
        received.append(state)
    }
}
