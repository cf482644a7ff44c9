/// A function that subscribes.
final class FunctionSubscriber<State>: StoreSubscriber {
    private let function: (State) -> Void

    init(_ function: @escaping (State) -> Void) {
        self.function = function
    }

    func newState(state: State) {
        function(state)
    }
}
