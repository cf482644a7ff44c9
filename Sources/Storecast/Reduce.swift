/// A reducer of the whole state or of a part of it, as a line of a ``CombinedReducer``.
public struct Reduce<State> {
    let reducer: InPlaceReducer<State>

    /// A reducer that changes the whole state in place.
    public init(_ reducer: @escaping InPlaceReducer<State>) {
        self.reducer = reducer
    }

    /// A reducer of the whole state in ReSwift's form. It never gets a nil state.
    public init(_ reducer: @escaping Reducer<State>) {
        self.reducer = { state, action in state = reducer(action, state) }
    }

    /// A reducer that changes the part of the state at `path` in place, without a copy of it.
    public init<Part>(
        _ path: WritableKeyPath<State, Part>, _ reducer: @escaping InPlaceReducer<Part>
    ) {
        self.reducer = { state, action in reducer(&state[keyPath: path], action) }
    }

    /// A reducer of the part of the state at `path` in ReSwift's form. It never gets a nil state.
    public init<Part>(
        _ path: WritableKeyPath<State, Part>, _ reducer: @escaping Reducer<Part>
    ) {
        self.reducer = { state, action in
            state[keyPath: path] = reducer(action, state[keyPath: path])
        }
    }

    /// Several reducers of the part of the state at `path`.
    public init<Part>(
        _ path: WritableKeyPath<State, Part>, _ reducer: CombinedReducer<Part>
    ) {
        self.reducer = { state, action in reducer(&state[keyPath: path], action) }
    }

    /// Several reducers of the whole state, a module's for instance.
    public init(_ reducer: CombinedReducer<State>) {
        self.reducer = reducer.callAsFunction
    }
}
