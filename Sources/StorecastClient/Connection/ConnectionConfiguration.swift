import StorecastMirror
import StorecastSync

/// What a connection is made of.
struct ConnectionConfiguration: Sendable {
    let url: String
    let token: (@Sendable () async throws -> String)?
    /// Who the server will take the client for, as far as that is known.
    let identity: Identity
    let outbox: RemoteConnection.Outbox
    let transport: any Transport
    /// What ids and delays are drawn from.
    let random: any RandomNumberGenerator & Sendable
    /// The time of day.
    let wallClock: @Sendable () -> Timestamp
    let deliveries: DeliveryRegistry

    /// The session with the outbox, or one that refuses everything and why.
    func openSession(client: String) -> (ClientSession, Rejection?) {
        do throws(Rejection) {
            let session = try outbox.open(room: room, client: client) { client in
                ProvisionalStamps(client: client, sender: identity, now: wallClock)
            }
            return (session, nil)
        } catch {
            let nothing = StorecastMirror.Outbox(refusing: error)
            return (ClientSession(outbox: SharedOutbox(client: client, nothing)), error)
        }
    }

    /// The path of the URL, which names the room.
    private var room: String {
        let path = ServerURL(url)?.path ?? ""
        return String(path.prefix { $0 != "?" })
    }
}
