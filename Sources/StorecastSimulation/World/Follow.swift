import Storecast
import StorecastMirror
import StorecastSync
import StorecastWire

/// A client's interest in one selection with its parameters.
final class Follow {
    let mirror: Mirror
    /// Its selection and parameters, as the room's truth knows them.
    let topic: Topic
    /// Shows it with the client's own actions; nil if it waits for the server.
    let view: (any OptimisticView)?
    /// Whether the mirror has changed since it was checked.
    var isMoved = false
    /// The newest position at which it was found to be right.
    var position: Position?
    /// How many more times the client's program follows it.
    var users = 0
    private var isNew = false

    init(_ mirror: Mirror, _ topic: Topic, _ view: (any OptimisticView)?) {
        self.mirror = mirror
        self.topic = topic
        self.view = view
        mirror.observers[0] = { [unowned self] _ in
            isMoved = true
            isNew = true
        }
    }

    /// Shows the mirror's new value and the pending actions.
    func deliver(_ pending: PendingActions?) {
        guard let view, isNew || pending != nil else { return }
        view.take(isNew ? (mirror.value, mirror.included) : nil, pending)
        isNew = false
        isMoved = true
    }
}

/// What an optimistic mirror shows, whatever its value is.
protocol OptimisticView: AnyObject {
    /// Shows an action that has just been dispatched through it.
    func show(_ action: PendingAction)
    /// Takes what the mirror has become, and what is pending, as far as either is new.
    func take(_ base: (value: JSON?, included: UInt64)?, _ pending: PendingActions?)
    /// What is shown; nil before the first value.
    var shown: JSON? { get }
    /// What it should show: the actions, each once, on the value.
    func truth(_ value: JSON, with actions: [any SyncAction]) -> JSON
}

/// An `OptimisticValue`, as in an app, of a known type.
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

    func truth(_ value: JSON, with actions: [any SyncAction]) -> JSON {
        var value = Self.typed(value)
        for action in actions { reduce(&value, action) }
        return encoded { try JSONCoding.encodeTree(value) }
    }

    private static func typed(_ json: JSON) -> Value {
        decoded { try JSONCoding.decode(Value.self, from: json) }
    }
}
