package import StorecastWire

/// What a session needs of its connection; every call is made on the session's loop.
package protocol ServerLink: AnyObject {
    /// Closes the connection behind what was written, and these messages, whether or not a write
    /// would be taken now.
    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage])
    /// Stops or goes on reading from the peer.
    func setReading(_ reads: Bool)
    /// Where the peer is, by which anonymous clients are counted: an IPv4 address, or the first 64 bits of
    /// an IPv6 one. Empty if it isn't known.
    var peerNetwork: String { get }
}

extension ServerLink {
    package var peerNetwork: String { "" }
}

/// What rooms and sessions need of the loop that they live on.
package protocol SyncHost: AnyObject {
    /// Calls the room's `endTurn` when everything that came in this turn was taken.
    func schedule(turnOf room: any AnyRoom)
    /// Pulls the session's messages at the end of the turn, when its connection can take them.
    func schedule(flushOf session: ServerSession)
    /// Calls `work` on the loop when `delay` is over.
    func schedule(after delay: Duration, _ work: @escaping () -> Void)
    /// Finds out whose token it is and calls `session.authenticated`, possibly at once.
    func authenticate(_ session: ServerSession, token: String?)
    /// Logs what the server's owner should know.
    func report(_ message: String)
    /// A room has read another page of its history.
    func progressed(_ progress: RoomProgress)
    /// Does work that takes long on another thread, and calls `completion` on the loop; both at once
    /// in a host that has no other thread.
    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void)
}

extension SyncHost {
    package func progressed(_ progress: RoomProgress) {}

    package func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) { completion(work()) }
}
