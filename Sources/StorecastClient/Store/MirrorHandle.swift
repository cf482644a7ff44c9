/// A remote store's interest in its mirror; ends with the store, on whatever thread that is.
final class MirrorHandle: Sendable {
    private let connection: RemoteConnection
    private let id: UInt64

    init(_ connection: RemoteConnection, id: UInt64) {
        self.connection = connection
        self.id = id
    }

    deinit {
        let id = id
        connection.perform { $0.endObserving(as: id) }
    }
}
