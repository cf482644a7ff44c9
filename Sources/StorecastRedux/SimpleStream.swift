/// A state and the functions that are called with the next ones.
final class SimpleStream<State> {
    private(set) var state: State
    private let list = SubscriptionList<State>()
    /// By the number of the subscription: the list holds its subscribers weakly.
    private var subscribers: [UInt64: FunctionSubscriber<State>] = [:]
    private var lastNumber: UInt64 = 0

    init(_ state: State) {
        self.state = state
    }

    func publish(_ state: State) {
        self.state = state
        list.notify(state)
    }

    /// The disposable knows a number and not the subscriber, so whatever keeps it keeps nothing.
    func subscribe(_ function: @escaping (State) -> Void) -> any ReduxDisposable {
        lastNumber += 1
        let number = lastNumber
        let subscriber = FunctionSubscriber(function)
        subscribers[number] = subscriber
        list.subscribe(subscriber, transform: nil, skipsRepeats: false, current: nil)
        return SimpleReduxDisposable(
            disposed: { [weak self] in self?.subscribers[number] == nil },
            dispose: { [weak self] in self?.remove(number) })
    }

    private func remove(_ number: UInt64) {
        guard let subscriber = subscribers.removeValue(forKey: number) else { return }
        list.unsubscribe(subscriber)
    }
}
