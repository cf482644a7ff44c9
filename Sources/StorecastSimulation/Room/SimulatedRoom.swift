public import Storecast
public import StorecastSync
import StorecastWire

/// A room as a ``Simulation`` runs it: its definition, its users, what they mirror and dispatch.
///
/// ```swift
/// let board = SimulatedRoom(Board.room, people: [Identity("ada"), Identity("bob")])
///     .mirroring(Board.summary)
///     .mirroring(Board.card) { random in "card \(random.below(100))" }
///     .dispatching(3) { random, _ in AddCard(column: "todo", text: "\(random.below(100))") }
///     .dispatching { random, _ in MoveCard(card: random.below(10), to: "done") }
///     .requiring("every card is in a column") { board in board.cards.allSatisfy { … } }
/// ```
///
/// What a closure draws must depend on its generator alone: no other randomness, no clock, no
/// iteration order of a `Dictionary` or `Set`. Then a seed is always the same run.
public struct SimulatedRoom<State: Codable & Sendable>: Sendable {
    let definition: RoomDefinition<State>
    let people: [Identity]
    var mirroredSelections: [MirroredSelection] = []
    var kinds: [DispatchKind] = []
    var serverKinds: [DispatchKind] = []
    var rareKinds: [DispatchKind] = []
    var rules: [RoomRule<State>] = []
    /// By the selections' names.
    var oracles: [ExactString: Oracle<State>] = [:]

    /// A room with clients that mirror and dispatch nothing yet.
    ///
    /// - Parameters:
    ///   - definition: the room, with its checks and middleware.
    ///   - people: the users of the clients, in turn. Where two have the same id and different
    ///     roles, a client's token is sometimes renewed from one to the other.
    public init(
        _ definition: RoomDefinition<State>,
        people: [Identity] = [Identity("ada"), Identity("bob")]
    ) {
        precondition(!people.isEmpty, "Somebody must use the clients.")
        self.definition = definition
        self.people = people
    }

    /// Clients sometimes mirror the selection.
    ///
    /// - Parameters:
    ///   - selection: one of the room's.
    ///   - optimistic: what clients show of their own actions before the server answers; nil to wait
    ///     for it. Each of them must be shown exactly once at any moment.
    public func mirroring<Value>(
        _ selection: Selection<State, NoParameters, Value>,
        optimistic: (@Sendable (inout Value, any Action) -> Void)? = nil
    ) -> Self {
        adding(
            MirroredSelection(
                selection: selection.name, parameters: { _ in nil },
                view: Self.view(of: Value.self) { _ in optimistic }))
    }

    /// Clients sometimes mirror the selection, with parameters that `parameters` draws.
    ///
    /// - Parameters:
    ///   - selection: one of the room's.
    ///   - parameters: draws what clients choose.
    ///   - optimistic: as above, for the parameters that it is given.
    public func mirroring<Parameters, Value>(
        _ selection: Selection<State, Parameters, Value>,
        _ parameters: @escaping @Sendable (inout SeededGenerator) -> Parameters,
        optimistic: (@Sendable (Parameters, inout Value, any Action) -> Void)? = nil
    ) -> Self {
        adding(
            MirroredSelection(
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

    /// Makes the optimistic views of a selection, for parameters for which there is a reducer.
    private static func view<Value: Codable & Sendable>(
        of type: Value.Type,
        _ reducer: @escaping @Sendable (JSON?) -> (@Sendable (inout Value, any Action) -> Void)?
    ) -> @Sendable (JSON?) -> (any OptimisticView)? {
        { parameters in reducer(parameters).map { ShownValue($0) } }
    }

    /// Clients dispatch the actions that `draw` makes for their identity, `weight` times as often
    /// as those of weight 1.
    public func dispatching(
        _ weight: Int = 1,
        _ draw: @escaping @Sendable (inout SeededGenerator, Identity) -> any SyncAction
    ) -> Self {
        var room = self
        room.kinds.append(DispatchKind(weight: weight, draw: draw))
        return room
    }

    /// In about one seed of 24, clients sometimes dispatch this action too.
    ///
    /// It draws from a random stream of its own: adding such an action to a room leaves the runs of
    /// all other seeds as they were.
    public func dispatchingRarely(
        _ draw: @escaping @Sendable (inout SeededGenerator, Identity) -> any SyncAction
    ) -> Self {
        var room = self
        room.rareKinds.append(DispatchKind(weight: 1, draw: draw))
        return room
    }

    /// The server's own code dispatches the actions that `draw` makes.
    public func dispatchingOnServer(
        _ weight: Int = 1, _ draw: @escaping @Sendable (inout SeededGenerator) -> any SyncAction
    ) -> Self {
        var room = self
        room.serverKinds.append(DispatchKind(weight: weight) { random, _ in draw(&random) })
        return room
    }

    /// Every state of the room must satisfy `holds`; `name` says in a report what was violated.
    public func requiring(_ name: String, _ holds: @escaping @Sendable (State) -> Bool) -> Self {
        var room = self
        room.rules.append(RoomRule(name: name, holds: holds))
        return room
    }

    /// What a selection must show, found in the simplest way: without it, the model evaluates the
    /// selection's own closure.
    func expecting<Parameters, Value>(
        _ selection: Selection<State, Parameters, Value>,
        _ value: @escaping @Sendable (State, Parameters, Identity) -> Value
    ) -> Self {
        var room = self
        room.oracles[ExactString(selection.name)] = { state, json, viewer in
            encoded {
                let parameters = try JSONCoding.decode(Parameters.self, from: json ?? .object([:]))
                return try JSONCoding.encodeTree(value(state, parameters, viewer))
            }
        }
        return room
    }

    private func adding(_ selection: MirroredSelection) -> Self {
        var room = self
        room.mirroredSelections.append(selection)
        return room
    }
}
