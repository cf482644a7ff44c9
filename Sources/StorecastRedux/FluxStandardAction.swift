/// An action in the form of the Flux Standard Action convention.
public protocol FluxStandardAction: Action {
    /// What kind of action it is; the name of its type as a rule.
    var type: String { get }
    /// What it carries: an error if ``error`` is true.
    var payload: Any? { get }
    /// What is said about it and isn't part of the payload.
    var meta: Any? { get }
    /// Whether it tells of an error.
    var error: Bool { get }
}

extension FluxStandardAction {
    /// The name of its type.
    public var type: String { "\(Self.self)" }
}
