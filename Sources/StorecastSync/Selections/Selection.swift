import StorecastWire

/// A named view of a room's state, shared by server and client.
///
/// Declare each as one `static let` on the state and pass it to both sides:
/// ```swift
/// static let summary = Selection("summary") { (board: Board) in Summary(board) }
/// static let column = Selection("column") { (board: Board, id: String) in board[column: id] }
/// static let myCards = Selection("myCards") { (board: Board, me: Identity) in board.cards(of: me) }
/// ```
/// The closure must be a pure function of its arguments. The server runs it once per turn in which
/// the room's state changed, for all clients that selected the same with equal parameters; one that
/// takes an `Identity` runs once per viewer. A value equal to the one before is not sent.
public struct Selection<
    State: Codable & Sendable, Parameters: Codable & Hashable & Sendable,
    Value: Codable & Equatable & Sendable
>: SelectionProtocol {
    /// The selection's name on the wire, unique in its room.
    public let name: String
    let dependsOnViewer: Bool
    let evaluate: @Sendable (State, Parameters, Identity) -> Value

    /// A selection with parameters that the client chooses.
    public init(_ name: String, _ evaluate: @escaping @Sendable (State, Parameters) -> Value) {
        self.name = name
        self.dependsOnViewer = false
        self.evaluate = { state, parameters, _ in evaluate(state, parameters) }
    }

    /// A selection with parameters, evaluated for each viewer.
    public init(
        _ name: String, _ evaluate: @escaping @Sendable (State, Parameters, Identity) -> Value
    ) {
        self.name = name
        self.dependsOnViewer = true
        self.evaluate = evaluate
    }

    /// What a room keeps of the selection.
    public var erased: AnySelection<State> { AnySelection(self) }
}

extension Selection where Parameters == NoParameters {
    /// A selection that is the same for everyone.
    public init(_ name: String, _ evaluate: @escaping @Sendable (State) -> Value) {
        self.init(name) { (state: State, _: NoParameters) in evaluate(state) }
    }

    /// A selection evaluated for each viewer.
    public init(_ name: String, _ evaluate: @escaping @Sendable (State, Identity) -> Value) {
        self.init(name) { (state: State, _: NoParameters, viewer: Identity) in
            evaluate(state, viewer)
        }
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
