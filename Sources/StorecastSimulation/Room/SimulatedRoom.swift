public import Storecast
public import StorecastSync
import StorecastWire

/// A room as a ``Simulation`` runs it: its definition, who comes, what they mirror and dispatch.
///
/// ```swift
/// let board = SimulatedRoom(Board.room, people: [Identity("ada"), Identity("bob")])
///     .mirroring(Board.summary)
///     .mirroring(Board.column) { random in random.below(2) == 0 ? "todo" : "done" }
///     .dispatching(3) { random, _ in AddCard(column: "todo", text: "\(random.below(100))") }
///     .dispatching { random, _ in MoveCard(card: random.below(10), to: "done") }
///     .requiring("every card is in a column") { board in board.cards.allSatisfy { … } }
/// ```
///
/// What a closure draws must be a function of its generator alone: no other chance, no clock, no
/// order of a `Dictionary` or `Set`. Then a seed is always the same run.
public struct SimulatedRoom<State: Codable & Sendable>: Sendable {
    let definition: RoomDefinition<State>
    let people: [Identity]
    var interests: [Interest] = []
    var kinds: [DispatchKind] = []
    var serverKinds: [DispatchKind] = []
    var rareKinds: [DispatchKind] = []
    var rules: [Rule] = []

    /// Something that must be true of every state that the room goes through.
    struct Rule: Sendable {
        let name: String
        let holds: @Sendable (State) -> Bool
    }

    /// A room with clients that mirror and dispatch nothing yet.
    ///
    /// - Parameters:
    ///   - definition: the room, with its checks and middleware.
    ///   - people: who uses the clients, in turn. Where two have one id and different roles, a
    ///     client's token is at times renewed from the one to the other.
    public init(
        _ definition: RoomDefinition<State>,
        people: [Identity] = [Identity("ada"), Identity("bob")]
    ) {
        precondition(!people.isEmpty, "Somebody must use the clients.")
        self.definition = definition
        self.people = people
    }

    /// Clients mirror the selection at times.
    ///
    /// - Parameter optimistic: what clients show of their own actions before the server answers;
    ///   nil to wait for it. It is held to its word: an action that it shows must change the
    ///   selection whenever the room reduces it, and one that it leaves alone must not matter to
    ///   it.
    public func mirroring<Value>(
        _ selection: Selection<State, NoParameters, Value>,
        optimistic: (@Sendable (inout Value, any Action) -> Void)? = nil
    ) -> Self {
        adding(
            Interest(
                selection: selection.name, parameters: { _ in nil },
                view: Self.view(of: Value.self) { _ in optimistic }))
    }

    /// Clients mirror the selection at times, with parameters that `parameters` draws.
    ///
    /// - Parameter optimistic: as above, for the parameters that it is given.
    public func mirroring<Parameters, Value>(
        _ selection: Selection<State, Parameters, Value>,
        _ parameters: @escaping @Sendable (inout SeededGenerator) -> Parameters,
        optimistic: (@Sendable (Parameters, inout Value, any Action) -> Void)? = nil
    ) -> Self {
        adding(
            Interest(
                selection: selection.name,
                parameters: { random in
                    encoded { try JSONCoding.encodeTree(parameters(&random)) }
                },
                view: Self.view(of: Value.self) { json in
                    guard let json, let optimistic else { return nil }
                    let parameters = decoded { try JSONCoding.decode(Parameters.self, from: json) }
                    return { value, action in optimistic(parameters, &value, action) }
                }))
    }

    /// Makes what shows a mirror with the client's own actions on it, where there is a reducer.
    private static func view<Value: Codable & Sendable>(
        of type: Value.Type,
        _ reducer: @escaping @Sendable (JSON?) -> (@Sendable (inout Value, any Action) -> Void)?
    ) -> @Sendable (JSON?) -> (any OptimisticView)? {
        { parameters in reducer(parameters).map { ShownValue($0) } }
    }

    /// Clients dispatch what `draw` makes for their identity; `weight` times as often as what has
    /// the weight 1.
    public func dispatching(
        _ weight: Int = 1,
        _ draw: @escaping @Sendable (inout SeededGenerator, Identity) -> any SyncAction
    ) -> Self {
        var room = self
        room.kinds.append(DispatchKind(weight: weight, draw: draw))
        return room
    }

    /// In every eighth seed or so, clients at times dispatch this beside what else they do.
    ///
    /// What it draws changes nothing of what else is drawn: a room that is given more of these does
    /// the same as before in all other seeds.
    public func dispatchingRarely(
        _ draw: @escaping @Sendable (inout SeededGenerator, Identity) -> any SyncAction
    ) -> Self {
        var room = self
        room.rareKinds.append(DispatchKind(weight: 1, draw: draw))
        return room
    }

    /// The server's own code dispatches what `draw` makes.
    public func dispatchingOnServer(
        _ weight: Int = 1, _ draw: @escaping @Sendable (inout SeededGenerator) -> any SyncAction
    ) -> Self {
        var room = self
        room.serverKinds.append(DispatchKind(weight: weight) { random, _ in draw(&random) })
        return room
    }

    /// Every state that the room goes through must fulfil `holds`; `name` says what was violated.
    public func requiring(_ name: String, _ holds: @escaping @Sendable (State) -> Bool) -> Self {
        var room = self
        room.rules.append(Rule(name: name, holds: holds))
        return room
    }

    private func adding(_ interest: Interest) -> Self {
        var room = self
        room.interests.append(interest)
        return room
    }
}

/// A selection that clients mirror, and with which parameters.
struct Interest: Sendable {
    let selection: String
    let parameters: @Sendable (inout SeededGenerator) -> JSON?
    /// What shows it optimistically, if anything does.
    let view: @Sendable (JSON?) -> (any OptimisticView)?
}

/// One of the actions that are dispatched.
struct DispatchKind: Sendable {
    let weight: Int
    let draw: @Sendable (inout SeededGenerator, Identity) -> any SyncAction
}

/// What a user's `encode(to:)` makes, which a simulation can't do without.
func encoded<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("A simulated room's value can't be encoded: \(error)")
    }
}

/// What a user's `init(from:)` makes of what its own `encode(to:)` wrote.
func decoded<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("A simulated room's value can't be decoded: \(error)")
    }
}
