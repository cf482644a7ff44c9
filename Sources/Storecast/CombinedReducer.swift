/// Several reducers as one: each sees every action, in this order.
///
/// ```swift
/// let reducer = CombinedReducer<AppState> {
///     Reduce(\.counter, reduceCounter)   // (inout Int, any Action) -> Void
///     Reduce(\.films, filmsReducer)      // ReSwift's form: (any Action, Films?) -> Films
///     Reduce(reduceNavigation)           // (inout some HasNavigationState, any Action) -> Void
/// }
/// let store = Store(state: AppState(), reducer: reducer)
/// ```
///
/// A reducer that is generic over a protocol of the state, as in the third line, sees no more of
/// the state than the protocol shows, and the compiler checks that the state conforms to it.
public struct CombinedReducer<State> {
    private let reducers: [InPlaceReducer<State>]

    /// Combines the reducers listed in `content`.
    public init(@ReducerBuilder<State> _ content: () -> [Reduce<State>]) {
        reducers = content().map(\.reducer)
    }

    /// Combines reducers of the whole state.
    public init(_ reducers: [InPlaceReducer<State>]) {
        self.reducers = reducers
    }

    /// Combines reducers of the whole state in ReSwift's form, which never get a nil state here.
    public init(_ reducers: [Reducer<State>]) {
        self.reducers = reducers.map { Reduce($0).reducer }
    }

    /// Changes the state by all reducers, one after the other.
    public func callAsFunction(_ state: inout State, _ action: any Action) {
        for reducer in reducers {
            reducer(&state, action)
        }
    }
}
