/// The first action of a store that was made without a state.
///
/// It passes through the middleware like any other action; the reducer answers it, as every action
/// it doesn't know, with its default state. A store that was given a state never dispatches it.
public struct ReSwiftInit: Action {
    /// Makes the action; the store does this itself.
    public init() {}
}
