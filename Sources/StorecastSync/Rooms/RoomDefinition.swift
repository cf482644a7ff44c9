public import Storecast
package import StorecastWire

/// A ``RoomDefinition`` of any state.
public protocol RoomDefinitionProtocol: Sendable {
    /// The state of the definition's rooms.
    associatedtype State: Codable & Sendable
    /// The definition with its state's type.
    var definition: RoomDefinition<State> { get }
}

/// Everything about a kind of room: its state, reducer, actions and selections.
///
/// A value in the module that server and clients share; the server adds who may do what. It is the
/// only place where actions are listed: a client's connection takes them from here too.
public struct RoomDefinition<State: Codable & Sendable>: RoomDefinitionProtocol {
    package var makeStore: @Sendable () -> Store<State>
    private let reduce: @Sendable (inout State, any Action) -> Void
    package var actions: ActionCatalogue
    package let selections: [ExactString: any SelectionProtocol<State>]
    /// What is said to clients that subscribe to another one.
    package let knownSelections: KnownNames
    package var validators: [ObjectIdentifier: Validator] = [:]
    /// What looks at actions when they are received, whoever sends them.
    package var inspections: [ObjectIdentifier: Inspection] = [:]
    /// What makes of actions of clients what they may do.
    var narrowings: [ObjectIdentifier: Narrowing] = [:]
    var actionRules: [ObjectIdentifier: Rule<State, any SyncAction>] = [:]
    var selectionRules: [ExactString: Rule<State, AnyHashable>] = [:]
    /// For what has no rule of its own.
    var generalRules: (action: Rule<State, any SyncAction>, selection: Rule<State, AnyHashable>)?
    package var entryRule: Rule<State, RoomEntry>?
    package var opening: @Sendable (Store<State>) -> Void = { _ in }
    /// Throws unless what an action leads to can be read back; nil if nothing must be.
    package var verification: (@Sendable (State) throws -> Void)?
    package var schema = RoomSchema()
    /// How a revert takes effect; nil if the room takes none.
    package var restore: (@Sendable (inout State, State) -> Void)?
    package var revision = ""
    /// How long those who left may take to come back; nil if the log isn't told who comes and goes.
    package var grace: Duration?

    package typealias Validator = @Sendable (State, any SyncAction, Identity) throws -> Void
    package typealias Narrowing = @Sendable (any SyncAction, Identity) -> any SyncAction
    package typealias Inspection = @Sendable (any SyncAction) throws -> Void

    /// A room that starts as `state` and changes in place.
    ///
    /// - Parameters:
    ///   - state: the state at version 0.
    ///   - actions: every action type that the room takes; others are rejected by name. Two types
    ///     with one wire name are a programming error.
    ///   - selections: every selection that clients may subscribe to, with different names.
    ///   - reducer: deterministic: the same state and action give the same state on every machine.
    public init(
        state: State, actions: [any SyncAction.Type], selections: [any SelectionProtocol<State>],
        reducer: @escaping @Sendable (inout State, any Action) -> Void
    ) {
        makeStore = { Store(state: state, reducer: reducer) }
        reduce = reducer
        self.actions = ActionCatalogue(actions)
        self.selections = Self.table(selections)
        knownSelections = KnownNames(self.selections.keys.sortedStrings())
    }

    /// A room with a reducer in ReSwift's form, whose first state the reducer makes of nil.
    public init(
        reducer: @escaping @Sendable (any Action, State?) -> State,
        actions: [any SyncAction.Type], selections: [any SelectionProtocol<State>]
    ) {
        makeStore = { Store(reducer: reducer, state: nil) }
        reduce = { state, action in state = reducer(action, state) }
        self.actions = ActionCatalogue(actions)
        self.selections = Self.table(selections)
        knownSelections = KnownNames(self.selections.keys.sortedStrings())
    }

    /// The definition itself.
    public var definition: Self { self }

    /// What the room's reducer does to a selection that is a part of the state: for mirrors that
    /// show actions before the server has answered.
    ///
    /// The rest of the state is that of a new room. A selection that the room doesn't have, or that
    /// is computed, is a programming error.
    package func reducer<Value>(
        of selection: Selection<State, NoParameters, Value>
    ) -> InPlaceReducer<Value> {
        let name = selection.name
        precondition(
            selections[ExactString(name)] != nil, "The room has no selection '\(name)'.")
        guard let part = selection.part else {
            preconditionFailure(
                "The selection '\(name)' is computed, so the room's reducer can't change it. "
                    + "Declare it with `part:`, or give the store a reducer of its value.")
        }
        // The store makes the first state, if need be with the reducer.
        let (new, reduce) = (makeStore().state!, reduce)
        return { value, action in
            var state = new
            // Not assigned, so that nothing else holds what the reducer changes.
            swap(&state[keyPath: part], &value)
            reduce(&state, action)
            swap(&state[keyPath: part], &value)
        }
    }

    private static func table(
        _ selections: [any SelectionProtocol<State>]
    ) -> [ExactString: any SelectionProtocol<State>] {
        var table: [ExactString: any SelectionProtocol<State>] = [:]
        for selection in selections {
            let known = table.updateValue(selection, forKey: ExactString(selection.name))
            precondition(known == nil, "Two selections have the name '\(selection.name)'.")
        }
        return table
    }
}

extension RoomDefinition {
    /// Adds a check that runs in the order of the journal, just before the reducer.
    ///
    /// It must be deterministic: a function of its arguments alone. The journal keeps the dispatch,
    /// not what the check said of it; whoever reads it asks the check again, and must hear the
    /// same. Time and chance come with the stamp of a ``Stamped`` action, which is complete here.
    ///
    /// A thrown ``Rejection`` is the dispatch's outcome, for good even if it says that it is
    /// retryable; any other error becomes an `internal` rejection without detail. A later check of
    /// the same action replaces an earlier one. One of an action that the room doesn't list is a
    /// programming error.
    public func validate<A: SyncAction>(
        _ type: A.Type, _ check: @escaping @Sendable (State, A, Identity) throws -> Void
    ) -> Self {
        expectListed(type)
        var room = self
        room.validators[ObjectIdentifier(type)] = { state, action, sender in
            // Found by its type: there is no other here, and none that goes unchecked.
            try check(state, action as! A, sender)
        }
        return room
    }

    /// Ends the program if a rule or a check is of an action that was forgotten among the room's.
    func expectListed(_ type: any SyncAction.Type) {
        precondition(actions.contains(type), ActionCatalogue.lack(of: type))
    }

    /// Refuses an action that would make a part of the state something that can't be read back.
    ///
    /// For what can become that: a type that holds itself, or ``/StorecastWire/JSON``, can be nested deeper
    /// than ``/StorecastWire/JSONLimits/deepestValue``, and a type's own `encode(to:)` or `init(from:)` may throw.
    /// ```swift
    /// room.verifying { board in board.outline }
    /// ```
    /// After each dispatch the part is written and read, and may be nested 480 levels. If that
    /// fails, the state is as before and the dispatch rejected with `conflict`: in the order of the
    /// journal, on every machine alike. Part of what a journal means: with a history, say it only
    /// with a new ``schema(_:)`` and what its old entries could lead to in mind.
    ///
    /// It costs time that is linear in the part for each dispatch, and a copy of what the dispatch
    /// changes. Where that is too much, a ``validate(_:_:)`` of the actions that make it deeper can
    /// do. Without either nothing is lost: as long as no snapshot can be written, all is kept.
    ///
    /// - Parameter part: what to verify; the whole state is `{ $0 }`.
    public func verifying<Part: Codable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> Self {
        var room = self
        let others = verification
        room.verification = { state in
            try others?(state)
            try Self.verify(part(state))
        }
        return room
    }

    private static func verify<Part: Codable & Sendable>(_ part: Part) throws {
        // Leaves twenty levels for what the part is in.
        let deepest = JSONLimits.deepestValue - 20
        let tree = try JSONCoding.encodeTree(part)
        guard !tree.isNested(deeperThan: deepest) else {
            throw EncodingError.invalidValue(
                deepest,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "arrays and objects nested over \(deepest) levels"))
        }
        _ = try JSONCoding.decode(Part.self, from: tree)
    }

    /// Throws unless all of `state` that is to be verified can be read back.
    package func verify(_ state: State) throws(Rejection) {
        do {
            try verification?(state)
        } catch {
            throw Rejection(
                .conflict, "The state that this leads to can't be kept.",
                detail: JSONCoding.message(for: error))
        }
    }

    /// Has the server dispatch ``ClientJoined`` and ``ClientLeft``: through middleware, journal and
    /// validation, like any action. ``Presence`` makes a list of them.
    ///
    /// A client whose connection ends has left when it hasn't come back within `grace`; a reconnect
    /// before that is no news to anyone. So has one that was in the room when the server stopped,
    /// counted from when the room is opened again. A client that comes and goes may be given up to
    /// twice as long. Each coming and each going of a client is an entry of the room's journal.
    ///
    /// Selections should show users, not participants, to those who needn't tell devices apart.
    ///
    /// - Parameter grace: how long, 0 or more; longer than clients take to reconnect.
    public func lifecycle(grace: Duration = .seconds(10)) -> Self {
        precondition(grace >= .zero, "A grace period can't be negative.")
        precondition(
            actions.areReserved(ClientJoined.self, ClientLeft.self),
            "The names ClientJoined and ClientLeft are taken by the room's own actions.")
        var room = self
        room.grace = grace
        return room
    }

    /// Names the version of the code: of reducer, selections and their values.
    ///
    /// Who resumes a subscription after a restart trusts that an old version of the room still has
    /// the value that it had. Change the word, any other than before, whenever a change of the code
    /// makes that wrong: clients then get snapshots. A new ``schema(_:)`` does the same by itself.
    public func revision(_ word: String) -> Self {
        var room = self
        room.revision = word
        return room
    }

    /// Runs `body` on the room's loop when its store is made: add middleware and subscribers there.
    public func onOpen(_ body: @escaping @Sendable (Store<State>) -> Void) -> Self {
        var room = self
        let before = room.opening
        room.opening = { store in
            before(store)
            body(store)
        }
        return room
    }
}
