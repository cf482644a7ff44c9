/// A ``Selection`` of a state, whatever its parameters and value.
public protocol SelectionProtocol<State>: Sendable {
    /// The room's state that is selected from.
    associatedtype State: Codable & Sendable
    /// The selection's name on the wire.
    var name: String { get }
    /// What a room keeps of the selection.
    var erased: AnySelection<State> { get }
}
