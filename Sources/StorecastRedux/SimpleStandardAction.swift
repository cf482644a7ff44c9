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
