/// An action in the form of the Flux Standard Action convention.
public protocol FluxStandardAction: Action {
    /// What kind of action it is; by default the name of its type.
    var type: String { get }
    /// The data of the action; an error if ``error`` is true.
    var payload: Any? { get }
    /// Information that isn't part of the payload.
    var meta: Any? { get }
    /// Whether it reports an error.
    var error: Bool { get }
}

extension FluxStandardAction {
    /// The name of its type.
    public var type: String { "\(Self.self)" }
}

/// A Flux Standard Action whose payload has a type, so that reducers need no cast.
public protocol SimpleStandardAction: FluxStandardAction {
    /// The type of the payload.
    associatedtype PayloadType

    /// The payload.
    var rawPayload: PayloadType { get }
}

extension SimpleStandardAction {
    /// The payload without its type.
    public var payload: Any? { rawPayload }
}

/// A Flux Standard Action that can be created from its payload, as `bindActionCreators` does.
///
/// SwiftRedux called it `StandardAction`, which is ReSwift's name for something else.
public protocol PayloadAction: SimpleStandardAction {
    /// Creates the action; nil as the payload stands for its default.
    init(payload: PayloadType?, meta: Any?, error: Bool)
}

/// A function that creates an action with `creator` and dispatches it.
///
/// ```swift
/// let rate = bindActionCreators(RateFilm.init, dispatch: store.dispatch)
/// rate("Solaris", 5)
/// ```
///
/// - Parameters:
///   - creator: creates the action; it can be an initialiser.
///   - dispatch: takes it, such as the `dispatch` of any store.
public func bindActionCreators<each Argument, Result>(
    _ creator: @escaping (repeat each Argument) -> any Action,
    dispatch: @escaping (any Action) -> Result
) -> (repeat each Argument) -> Void {
    { (argument: repeat each Argument) in _ = dispatch(creator(repeat each argument)) }
}

/// A function that creates an action of a type from its payload and dispatches it.
///
/// - Parameters:
///   - type: the type of the action; nil as the payload stands for its default.
///   - dispatch: takes it, such as the `dispatch` of any store.
public func bindActionCreators<Created: PayloadAction, Result>(
    _ type: Created.Type, dispatch: @escaping (any Action) -> Result
) -> (_ payload: Created.PayloadType?) -> Void {
    { payload in _ = dispatch(type.init(payload: payload, meta: nil, error: false)) }
}
