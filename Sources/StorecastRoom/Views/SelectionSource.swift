package import StorecastSync
package import StorecastWire

/// The typed half of a selection group: the value as it was sent last, and what leads from there to
/// a later one. Not Sendable: belongs to its room.
package protocol SelectionSource<State>: ValueSource {
    associatedtype State
    /// Goes on to the value in `state`; returns what leads there, or nil if the JSON is the same.
    ///
    /// Throws what the value's `encode(to:)` throws; the source is of no more use then.
    func update(_ state: State) throws -> ValueChange?
    /// The source, if it is told of changes: a cast takes microseconds.
    var told: (any ToldSource<State>)? { get }
}

extension SelectionSource {
    package var told: (any ToldSource<State>)? { nil }
}

/// A source that is told of the changes that concern it, and needn't be asked after each turn.
package protocol ToldSource<State>: SelectionSource {
    /// Its group; nil as long as it has none.
    var group: SelectionGroup? { get set }
    /// How it is found.
    var way: SelectionWay { get }
    /// Is told of changes from now on, until ``detach()``. Called between turns, as that is.
    func attach()
    /// Isn't told of changes any more. ``SelectionSource/update(_:)`` finds them itself then.
    func detach()
}

extension ToldSource {
    package var told: (any ToldSource<State>)? { self }
}

/// What keeps a selection up to date by sources that are told of changes.
package protocol ToldSelection<State, Parameters>: SelectionUpkeep {
    /// A source with the value in `state`, not attached. Throws what a client is told whose
    /// parameters make no sense.
    func source(
        _ parameters: Parameters, _ viewer: Identity, _ state: State,
        _ finders: SelectionFinders<State>
    ) throws -> any ToldSource<State>
}

/// A value that can be written.
package protocol ValueSource: AnyObject {
    /// Writes the value's JSON. Throws what its `encode(to:)` throws.
    func write(to writer: inout JSONWriter) throws
}

/// What leads from one value to the next.
package struct ValueChange {
    package let patch: JSONPatch
    /// How many bytes the value's text grew by.
    package let growth: Int

    /// Nil if nothing has changed. Equal numbers may have other texts: then the patch is empty.
    package init?(_ patch: JSONPatch, growth: Int) {
        if patch.isEmpty, growth == 0 { return nil }
        self.patch = patch
        self.growth = growth
    }
}

/// Evaluates the closure of a selection, and compares its values.
final class ClosureSource<
    State: Codable & Sendable, Parameters: Codable & Hashable & Sendable,
    Value: Codable & Equatable & Sendable
>: SelectionSource {
    private let selection: Selection<State, Parameters, Value>
    private let parameters: Parameters
    private let viewer: Identity
    private var value: Value

    init(
        _ selection: Selection<State, Parameters, Value>, _ parameters: Parameters,
        _ viewer: Identity, _ state: State
    ) {
        self.selection = selection
        self.parameters = parameters
        self.viewer = viewer
        value = selection.evaluate(state, parameters, viewer)
    }

    func update(_ state: State) throws -> ValueChange? {
        let new = selection.evaluate(state, parameters, viewer)
        guard new != value else { return nil }
        let (patch, growth) = try JSONPatch.diff(encoding: value, new)
        value = new
        return ValueChange(patch, growth: growth)
    }

    func write(to writer: inout JSONWriter) throws {
        writer.write(try JSONCoding.encodeTree(value))
    }
}

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
        return ResolvedSelection(
            key: key, reads: selection.reads,
            source: { state, finders in
                if let told = selection.upkeep as? any ToldSelection<State, Parameters> {
                    return try told.source(parameters, viewer, state, finders)
                }
                return ClosureSource(selection, parameters, viewer, state)
            },
            value: { try JSONCoding.encodeTree(selection.evaluate($0, parameters, viewer)) })
    }
}

/// A selection with its parameters and viewer: what one group stands for.
package struct ResolvedSelection<State> {
    package let key: GroupKey
    /// Whether what the selection reads may differ between two states; nil if it may read anything.
    let reads: ((State, State) -> Bool)?
    package let source: (State, SelectionFinders<State>) throws -> any SelectionSource<State>
    /// The value in a state, evaluated by itself.
    package let value: (State) throws -> JSON
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
