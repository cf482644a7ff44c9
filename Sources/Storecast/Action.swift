/// A description of something that happened, from which a reducer works out the next state.
///
/// An action carries data and no behaviour. Any value type can be one:
///
/// ```swift
/// struct Increase: Action { var by = 1 }
/// ```
public protocol Action {}

/// The first action of a store that was created without a state.
///
/// It passes through the middleware like any other action. The reducer answers it with its default
/// state, as it does for every action it doesn't know. A store that was given a state never
/// dispatches it.
public struct ReSwiftInit: Action {
    /// Creates the action; the store does this itself.
    public init() {}
}
