extension Store {
    /// Makes a store with several reducers, which change the state in place.
    ///
    /// - Parameters:
    ///   - state: the first state.
    ///   - middleware: what actions pass before the reducers, in this order.
    ///   - automaticallySkipsRepeats: whether subscribers with an Equatable selection, or to the
    ///     whole of an Equatable state, are left alone when it is equal to what they last got.
    ///   - reducer: changes the state.
    public convenience init(
        state: State, middleware: [Middleware<State>] = [], automaticallySkipsRepeats: Bool = true,
        reducer: CombinedReducer<State>
    ) {
        self.init(
            state: state, middleware: middleware,
            automaticallySkipsRepeats: automaticallySkipsRepeats,
            reducer: reducer.callAsFunction)
    }
}
