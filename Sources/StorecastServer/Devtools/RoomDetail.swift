import StorecastRoom
import StorecastWire

/// What the devtools show of one room, and who is in it.
struct RoomDetail: Encodable {
    struct Subscription: Encodable {
        var selection: String
        var parameters: JSON
        var lag: UInt64
        var bytes: Int
    }

    struct Client: Encodable {
        var participant: String
        var user: String
        var roles: [String]
        var address: String
        var lag: UInt64
        var traffic: LinkTraffic
        /// The first ones.
        var subscriptions: [Subscription]

        private static let shownSubscriptions = 20

        init(_ session: ServerSession) {
            let link = session.link as? any SessionLink
            participant = participantID(of: session.client)
            user = session.identity.id
            roles = session.identity.roles.sortedExactly()
            address = link?.credentials.address ?? ""
            lag = session.lag
            traffic = link?.traffic ?? LinkTraffic()
            subscriptions = session.inspectedSubscriptions.prefix(Self.shownSubscriptions).map {
                Subscription(
                    selection: $0.selection, parameters: $0.parameters, lag: $0.lag,
                    bytes: $0.bytes)
            }
        }
    }

    var room: String
    var version: UInt64
    var epoch: String
    var phase: String
    var actions: [String]
    /// How many there are; not all may be told.
    var count: Int
    var clients: [Client]
}
