import Storecast
import StorecastMirror
import StorecastRoom
import StorecastSync
import StorecastWire

/// A ``SimulatedRoom`` of any state, type-erased.
struct AnySimulatedRoom: Sendable {
    let people: [Identity]
    let mirroredSelections: [MirroredSelection]
    let kinds: [DispatchKind]
    let serverKinds: [DispatchKind]
    let rareKinds: [DispatchKind]
    /// The actions that the room takes.
    let catalogue: ActionCatalogue
    let open: @Sendable (RoomContext) -> any AnyRoom
    let model: @Sendable (SyncLimits) -> any RoomModel
    /// Dispatches on the server, into a room that `open` has made.
    let dispatch: @Sendable (any AnyRoom, any SyncAction, DispatchOutcome) -> Void
    /// Whether the room has reduced or refused everything that it received.
    let isIdle: @Sendable (any AnyRoom) -> Bool

    init<State>(_ room: SimulatedRoom<State>) {
        people = room.people
        mirroredSelections = room.mirroredSelections
        kinds = room.kinds
        serverKinds = room.serverKinds
        rareKinds = room.rareKinds
        catalogue = room.definition.actions
        open = { context in
            var context = context
            context.isClosed = room.definition.hasRules
            return Room(room.definition, context)
        }
        model = { limits in
            ReplayedRoom(room.definition, rules: room.rules, oracles: room.oracles, limits)
        }
        dispatch = { opened, action, outcome in
            (opened as? Room<State>)?.dispatch(action, outcome)
        }
        isIdle = { opened in (opened as? Room<State>)?.isAtRest ?? true }
    }

    /// The token with which a client authenticates.
    func token(of identity: Identity) -> String {
        ([identity.id] + identity.roles.sortedExactly()).joined(separator: ":")
    }

    /// Whose token it is, whatever its number.
    func identify(_ token: String?) -> Result<Identity, Rejection> {
        let text = (token ?? "").split(separator: "#", omittingEmptySubsequences: false)[0]
        guard
            let person = people.first(where: { person in
                self.token(of: person).isSameText(as: String(text))
            })
        else {
            return .failure(Rejection(.unauthenticated, "Nobody has such a token."))
        }
        return .success(person)
    }
}

/// A selection that clients mirror, and how its parameters are drawn.
struct MirroredSelection: Sendable {
    let selection: String
    let parameters: @Sendable (inout SeededGenerator) -> JSON?
    /// Makes the view that shows it optimistically; nil for none.
    let view: @Sendable (JSON?) -> (any OptimisticView)?
}

/// A kind of action that is dispatched, and how it is drawn.
struct DispatchKind: Sendable {
    let weight: Int
    let draw: @Sendable (inout SeededGenerator, Identity) -> any SyncAction
}

/// What an optimistic mirror shows, for any type of value.
protocol OptimisticView: AnyObject {
    /// Shows an action that has just been dispatched through it.
    func show(_ action: PendingAction)
    /// Takes the mirror's new value and the new pending actions; nil for what hasn't changed.
    func take(_ base: (value: JSON?, included: UInt64)?, _ pending: PendingActions?)
    /// What is shown; nil before the first value.
    var shown: JSON? { get }
    /// What it should show: each of the actions reduced once on the value.
    func expected(on value: JSON, with actions: [any SyncAction]) -> JSON
}

/// The `OptimisticValue` that apps use, of a known type.
final class ShownValue<Value: Codable & Sendable>: OptimisticView {
    private var optimistic: OptimisticValue<Value>
    private let reduce: (inout Value, any Action) -> Void

    init(_ reduce: @escaping @Sendable (inout Value, any Action) -> Void) {
        self.reduce = reduce
        optimistic = OptimisticValue(reduce)
    }

    func show(_ action: PendingAction) {
        optimistic.show(action)
    }

    func take(_ base: (value: JSON?, included: UInt64)?, _ pending: PendingActions?) {
        optimistic.take(base.map { ($0.value.map(Self.typed), $0.included) }, pending)
    }

    var shown: JSON? {
        optimistic.value.map { value in encoded { try JSONCoding.encodeTree(value) } }
    }

    func expected(on value: JSON, with actions: [any SyncAction]) -> JSON {
        var value = Self.typed(value)
        for action in actions { reduce(&value, action) }
        return encoded { try JSONCoding.encodeTree(value) }
    }

    private static func typed(_ json: JSON) -> Value {
        decoded { try JSONCoding.decode(Value.self, from: json) }
    }
}
