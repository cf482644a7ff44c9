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
    /// Something has become of the mirror that wasn't looked at yet.
    var isMoved = false
    /// The newest position that was found right.
    var position: Position?
    /// How many more parts of the client's program ask for it.
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

    /// Shows what the mirror has become, and what is pending.
    func deliver(_ pending: PendingActions?) {
        guard let view, isNew || pending != nil else { return }
        view.take(isNew ? (mirror.value, mirror.included) : nil, pending)
        isNew = false
        isMoved = true
    }
}
