package import StorecastWire

/// One subscription of a session, as somebody sees it who looks into the room.
package struct InspectedSubscription: Sendable {
    package var selection: String
    /// Its parameters; null if it has none.
    package var parameters: JSON
    /// How many versions of the room it has not been sent; 0 if its value hasn't changed since.
    package var lag: UInt64
    /// The size of its value's JSON text in bytes.
    package var bytes: Int
}

extension ServerSession {
    /// What the connection is subscribed to, in the order of the groups' numbers.
    package var inspectedSubscriptions: [InspectedSubscription] {
        inspected.sorted { $0.group.sub < $1.group.sub }.map { subscription in
            let key = subscription.group.key
            let parameters = key.parameters.base as? any Encodable
            return InspectedSubscription(
                selection: key.selection,
                parameters: parameters.flatMap { try? JSONCoding.encodeTree($0) } ?? .null,
                lag: subscription.lag(at: room.position.version), bytes: subscription.group.size)
        }
    }

    /// How many versions the subscription that is the furthest behind has not been sent.
    package var lag: UInt64 {
        inspected.lazy.map { $0.lag(at: self.room.position.version) }.max() ?? 0
    }

    private var inspected: some Sequence<ServerSubscription> {
        // Several refs may share one.
        subscriptions.lazy.filter { $0.key == $0.value.refs.first }.map(\.value)
    }
}

extension ServerSubscription {
    fileprivate func lag(at version: UInt64) -> UInt64 {
        position == group.version ? 0 : version - (position ?? 0)
    }
}
