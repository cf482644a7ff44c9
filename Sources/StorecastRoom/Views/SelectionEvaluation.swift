package import StorecastSync
package import StorecastWire

extension SelectionProtocol {
    /// The selection with the parameters of a subscribe frame, for a viewer; throws what a client
    /// is told whose parameters make no sense.
    package func resolve(
        _ params: JSONView?, _ viewer: Identity
    ) throws(Rejection) -> ResolvedSelection<State> {
        let selection = selection
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

extension Selection {
    /// The canonical text of parameters that hold more than ASCII; nil for others.
    func text(of parameters: Parameters) throws(Rejection) -> [UInt8]? {
        do {
            let text = try JSONCoding.encodeTree(parameters).canonicalBytes
            return text.contains { $0 >= 0x80 } ? text : nil
        } catch {
            throw Rejection(
                .invalidParameters, "The selection's parameters can't be read.",
                detail: "params of '\(name)' can't be written again: \(explain(error))")
        }
    }

    /// The parameters in the `params` of a subscribe frame; nil stands for a frame without any.
    func parameters(from view: JSONView?) throws(Rejection) -> Parameters {
        if Parameters.self == NoParameters.self, let view, !view.isEmptyObject {
            throw Rejection(
                .invalidParameters, "The selection's parameters can't be read.",
                detail: "'\(name)' has none.")
        }
        do {
            if let view { return try JSONCoding.decode(Parameters.self, from: view) }
            return try JSONCoding.decode(Parameters.self, from: .object([:]))
        } catch {
            throw Rejection(
                .invalidParameters, "The selection's parameters can't be read.",
                detail: view == nil
                    ? "'\(name)' needs params.\(Self.hint(error))"
                    : "params of '\(name)': \(explain(error))")
        }
    }

    /// What is needed where there is nothing, if that has members.
    private static func hint(_ error: any Error) -> String {
        guard case DecodingError.keyNotFound = error else { return "" }
        return " " + explain(error)
    }
}

extension JSONView {
    /// What some clients write for nothing.
    fileprivate var isEmptyObject: Bool { isObject && members.underestimatedCount == 0 }
}
