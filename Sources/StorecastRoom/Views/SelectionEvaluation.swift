package import StorecastWire

/// The typed half of a selection group: evaluates and remembers the last value.
package protocol SelectionEvaluating<State>: AnyObject {
    associatedtype State
    /// Evaluates the selection; false if the value equals the one before.
    func update(_ state: State) -> Bool
    /// The value as JSON. Throws what the value's `encode(to:)` throws.
    func encoded() throws -> JSON
}

final class SelectionEvaluation<
    State: Codable & Sendable, Parameters: Codable & Hashable & Sendable,
    Value: Codable & Equatable & Sendable
>: SelectionEvaluating {
    private let selection: Selection<State, Parameters, Value>
    private let parameters: Parameters
    private let viewer: Identity
    private var value: Value

    init(
        selection: Selection<State, Parameters, Value>, parameters: Parameters, viewer: Identity,
        state: State
    ) {
        self.selection = selection
        self.parameters = parameters
        self.viewer = viewer
        value = selection.evaluate(state, parameters, viewer)
    }

    func update(_ state: State) -> Bool {
        let new = selection.evaluate(state, parameters, viewer)
        guard new != value else { return false }
        value = new
        return true
    }

    func encoded() throws -> JSON {
        try JSONCoding.encodeTree(value)
    }
}
