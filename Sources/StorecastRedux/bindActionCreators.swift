/// A function that makes an action with `creator` and dispatches it.
///
/// ```swift
/// let rate = bindActionCreators(RateFilm.init, dispatch: store.dispatch)
/// rate("Solaris", 5)
/// ```
///
/// - Parameters:
///   - creator: makes the action; an initialiser will do.
///   - dispatch: takes it, such as the `dispatch` of any store.
public func bindActionCreators<each Argument, Result>(
    _ creator: @escaping (repeat each Argument) -> any Action,
    dispatch: @escaping (any Action) -> Result
) -> (repeat each Argument) -> Void {
    { (argument: repeat each Argument) in _ = dispatch(creator(repeat each argument)) }
}

/// A function that makes an action of a type from its payload and dispatches it.
///
/// - Parameters:
///   - type: the type of the action; nil as the payload makes its default.
///   - dispatch: takes it, such as the `dispatch` of any store.
public func bindActionCreators<Created: PayloadAction, Result>(
    _ type: Created.Type, dispatch: @escaping (any Action) -> Result
) -> (_ payload: Created.PayloadType?) -> Void {
    { payload in _ = dispatch(type.init(payload: payload, meta: nil, error: false)) }
}
