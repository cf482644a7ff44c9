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
    package internal(set) var dependsOnViewer: Bool
    package let evaluate: @Sendable (State, Parameters, Identity) -> Value
    /// Whether what it reads may differ between two states; nil if it may read anything.
    package var reads: (@Sendable (State, State) -> Bool)?
    /// Where it is in the state, if it is a part of it.
    package var part: (any WritableKeyPath<State, Value> & Sendable)?
    /// What keeps it up to date on the server, if that isn't the closure.
    package var upkeep: (any SelectionUpkeep<State, Parameters>)?

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

    /// The selection itself.
    public var selection: Self { self }

    /// Says which parts of the state the closure reads: while they are unchanged, it isn't run.
    ///
    /// ```swift
    /// static let summary = Selection("summary") { (board: Board) in Summary(board.cards) }
    ///     .reading(\.cards)
    /// ```
    /// A closure that reads anything else shows clients an old value: tests with
    /// `StorecastTesting`'s simulator find it. Parts are compared by their memory, in constant
    /// time: one that was set to an equal value may count as changed. While the selection is in
    /// use, the room holds the state of the turn before, so that a dictionary or array that changes
    /// is copied; tables aren't.
    public func reading<each Part: Sendable>(
        _ parts: repeat any KeyPath<State, each Part> & Sendable
    ) -> Self {
        var selection = self
        selection.reads = { old, new in
            for part in repeat (each parts) {
                if !isSameMemory(old[keyPath: part], new[keyPath: part]) { return true }
            }
            return false
        }
        return selection
    }
}

extension Selection where Parameters == NoParameters {
    /// A selection that is a part of the state, or all of it.
    ///
    /// ```swift
    /// static let total = Selection("total", part: \Counter.count)
    /// static let all = Selection("all", part: \Counter.self)
    /// ```
    /// A client can show such a part with the room's own reducer, before the server has answered.
    public init(_ name: String, part: any WritableKeyPath<State, Value> & Sendable) {
        self.init(name) { (state: State, _: NoParameters) in state[keyPath: part] }
        self.part = part
    }

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

/// A ``Selection`` of a state, whatever its parameters and value.
public protocol SelectionProtocol<State>: Sendable {
    /// The room's state that is selected from.
    associatedtype State: Codable & Sendable
    /// What the client chooses.
    associatedtype Parameters: Codable & Hashable & Sendable
    /// What the client sees.
    associatedtype Value: Codable & Equatable & Sendable
    /// The selection's name on the wire.
    var name: String { get }
    /// The selection with its types.
    var selection: Selection<State, Parameters, Value> { get }
}

/// How a server keeps a selection up to date from what changes, without running its closure: the
/// closure says what the value is, this finds it sooner. `StorecastRoom` knows what to do with it.
package protocol SelectionUpkeep<State, Parameters>: Sendable {
    associatedtype State
    associatedtype Parameters
}

/// The parameters of a selection that has none; on the wire, no `params` at all.
public struct NoParameters: Hashable, Codable, Sendable {
    /// The only value.
    public init() {}
}
