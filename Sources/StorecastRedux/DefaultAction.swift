/// The action with which a Redux store that is given no state asks its reducer for the first one.
///
/// It doesn't pass through middleware.
public struct DefaultAction: Action {
    /// Makes the action; stores do this themselves.
    public init() {}
}
