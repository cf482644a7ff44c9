import StorecastSync
import StorecastWire

/// A client's interest in one selection with its parameters.
final class Follow {
    let mirror: Mirror
    /// Its selection and parameters, as the room's truth knows them.
    let topic: Topic
    /// Something has become of the mirror that wasn't looked at yet.
    var isMoved = false
    /// The newest position that was found right.
    var position: Position?
    /// How many more parts of the client's program ask for it.
    var users = 0

    init(_ mirror: Mirror, _ topic: Topic) {
        self.mirror = mirror
        self.topic = topic
        mirror.observers[0] = { [unowned self] _ in isMoved = true }
    }
}
