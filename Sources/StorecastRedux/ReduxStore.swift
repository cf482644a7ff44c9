/// A store in the shape of Redux: three functions.
///
/// Made by ``createStore(_:state:)``, or by an enhancer from the functions of another store. Like a
/// ``Store`` it isn't Sendable and belongs to the actor or thread that made it.
public struct ReduxStore<State> {
    /// Answers the current state.
    public let getState: () -> State
    private let take: ReduxDispatch
    private let add: (@escaping (State) -> Void) -> any ReduxDisposable

    /// Makes a store of its functions.
    ///
    /// - Parameters:
    ///   - dispatch: takes an action and returns it, or what a middleware makes of it.
    ///   - subscribe: has a function called with each new state until it is disposed of.
    ///   - getState: answers the current state.
    public init(
        dispatch: @escaping ReduxDispatch,
        subscribe: @escaping (@escaping (State) -> Void) -> any ReduxDisposable,
        getState: @escaping () -> State
    ) {
        take = dispatch
        add = subscribe
        self.getState = getState
    }

    /// The current state.
    public var state: State { getState() }

    /// Sends an action through the middleware to the reducer; returns what the first link returns,
    /// the action itself if there is none.
    ///
    /// A reducer that dispatches ends the program with a message that names the action.
    @discardableResult
    public func dispatch(_ action: any Action) -> any Action {
        take(action)
    }

    /// Has `subscriber` called with every state from the next one on, until it is disposed of. The
    /// current state isn't passed on, and equal states are not skipped.
    @discardableResult
    public func subscribe(_ subscriber: @escaping (State) -> Void) -> any ReduxDisposable {
        add(subscriber)
    }
}
