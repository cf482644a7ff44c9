/// A pure function from an action and the state before it to the state after it.
///
/// The state is nil once: for the first action of a store that was created without one. A reducer
/// must not dispatch, and its result depends on nothing but its arguments.
///
/// The caller keeps the old state alive while a reducer of this form runs, so the first change to
/// a collection in it copies that collection. ``InPlaceReducer`` has no such cost.
public typealias Reducer<State> = (_ action: any Action, _ state: State?) -> State

/// A reducer that changes the state in place.
///
/// Nothing else holds the state while it runs, so appending to an array in the state is O(1),
/// unless a subscription remembers that very array. It must neither dispatch nor read the store's
/// `state`.
public typealias InPlaceReducer<State> = (_ state: inout State, _ action: any Action) -> Void

/// A marker that older ReSwift code puts on its states.
///
/// Nothing in the library requires it: any type can be a state.
public protocol StateType {}

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
/// A reducer that is generic over a protocol, as in the third line, sees only what the protocol
/// shows of the state, and the compiler checks that the state conforms to it.
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

    /// Runs all reducers on the state, one after the other.
    public func callAsFunction(_ state: inout State, _ action: any Action) {
        for reducer in reducers {
            reducer(&state, action)
        }
    }
}

/// A reducer of the whole state or of a part of it, as a line of a ``CombinedReducer``.
public struct Reduce<State> {
    fileprivate let reducer: InPlaceReducer<State>

    /// A reducer that changes the whole state in place.
    public init(_ reducer: @escaping InPlaceReducer<State>) {
        self.reducer = reducer
    }

    /// A reducer of the whole state in ReSwift's form. It never gets a nil state.
    public init(_ reducer: @escaping Reducer<State>) {
        self.reducer = { state, action in state = reducer(action, state) }
    }

    /// A reducer that changes the part of the state at `path` in place, without copying it.
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

    /// Several reducers of the whole state, such as those of a module.
    public init(_ reducer: CombinedReducer<State>) {
        self.reducer = reducer.callAsFunction
    }
}

/// Collects the lines of a ``CombinedReducer``.
@resultBuilder
public enum ReducerBuilder<State> {
    /// One line.
    public static func buildExpression(_ line: Reduce<State>) -> [Reduce<State>] {
        [line]
    }

    /// All lines.
    public static func buildBlock(_ lines: [Reduce<State>]...) -> [Reduce<State>] {
        lines.flatMap { $0 }
    }

    /// The lines of an `if` without `else`; nil if its condition is false.
    public static func buildOptional(_ lines: [Reduce<State>]?) -> [Reduce<State>] {
        lines ?? []
    }

    /// The lines of the first branch of an `if`.
    public static func buildEither(first lines: [Reduce<State>]) -> [Reduce<State>] {
        lines
    }

    /// The lines of its `else`.
    public static func buildEither(second lines: [Reduce<State>]) -> [Reduce<State>] {
        lines
    }
}
