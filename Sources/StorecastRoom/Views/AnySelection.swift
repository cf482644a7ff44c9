package import StorecastWire

/// A selection whose parameters and value are known only to itself.
public struct AnySelection<State: Codable & Sendable>: Sendable {
    package let name: String
    let parameters: any (Codable & Sendable).Type
    let value: any (Codable & Sendable).Type
    package let resolve:
        @Sendable (_ params: JSONView?, _ viewer: Identity) throws(Rejection) ->
            ResolvedSelection<State>

    init<Parameters, Value>(_ selection: Selection<State, Parameters, Value>) {
        name = selection.name
        parameters = Parameters.self
        value = Value.self
        resolve = { params, viewer throws(Rejection) in
            let parameters = try selection.parameters(from: params)
            let key = GroupKey(
                selection: selection.name, parameters: AnyHashable(parameters),
                text: try selection.text(of: parameters),
                viewer: selection.dependsOnViewer ? viewer : nil)
            return ResolvedSelection(key: key) { state in
                SelectionEvaluation(
                    selection: selection, parameters: parameters, viewer: viewer, state: state)
            }
        }
    }
}

/// A selection with its parameters and viewer: what one group stands for.
package struct ResolvedSelection<State> {
    package let key: GroupKey
    package let evaluation: (State) -> any SelectionEvaluating<State>
}

/// What makes two subscriptions share a group.
package struct GroupKey: Hashable {
    package let name: ExactString
    package let parameters: AnyHashable
    /// The parameters' canonical JSON if there is more than ASCII in it, else nil: texts in them
    /// that `==` takes for one are two. (Not of all parameters, as a set in them has no order.)
    private let text: [UInt8]?
    /// Nil if the selection is the same for every viewer.
    package let viewer: Identity?

    package init(
        selection: String, parameters: AnyHashable, text: [UInt8]? = nil, viewer: Identity?
    ) {
        name = ExactString(selection)
        self.parameters = parameters
        self.text = text
        self.viewer = viewer
    }

    package var selection: String { name.string }
}
