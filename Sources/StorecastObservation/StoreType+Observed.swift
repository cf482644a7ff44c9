public import Storecast

extension StoreType {
    /// The part of the state at `path` as an observable object; there must be a state.
    public func observed<Value>(_ path: KeyPath<State, Value>) -> ObservedStore<Value> {
        ObservedStore(self, select: path)
    }

    /// What `selector` makes of the state as an observable object; there must be a state.
    public func observed<Value>(_ selector: @escaping (State) -> Value) -> ObservedStore<Value> {
        ObservedStore(self, select: selector)
    }
}
