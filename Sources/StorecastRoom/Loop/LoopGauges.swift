/// What a loop has at a moment.
package struct LoopGauges: Sendable {
    package var connections = 0
    /// Open rooms, by how far they have come with their history.
    package var rooms = (ready: 0, loading: 0, failed: 0)
    package var groups = 0
    /// Whether a room's journal took nothing when it was last asked to.
    package var isRefused = false
    /// Bytes of dispatches that wait for journals, or to be reduced.
    package var waitingActions = 0
    /// Bytes of messages that wait to be worked off.
    package var waitingMessages = 0
    /// For how long some room's snapshot hasn't had what happened since; zero if all have it.
    package var snapshotAge = Duration.zero
    /// What is on its way to connections that don't take it now.
    package var outgoing = Outgoing()
    /// Rooms of other servers that are passed on: those whose owner is there, and others.
    package var upstream = (live: 0, waiting: 0)
    /// For how long the owner of some room has been away, or has owed a sign.
    package var upstreamSilence = Duration.zero

    package init() {}

    mutating func note(_ room: RoomGauges.Upstream, at now: Duration) {
        if room.isLive { upstream.live += 1 } else { upstream.waiting += 1 }
        if let since = room.silentSince { upstreamSilence = max(upstreamSilence, now - since) }
    }

    package struct Outgoing: Sendable {
        package var connections = 0
        package var bytes = 0

        package init() {}
    }
}

/// What a room has at a moment.
package struct RoomGauges {
    package var groups: Int
    package var waiting: Int
    package var isRefused: Bool
    /// Since when there is something that isn't in a snapshot.
    package var unsavedSince: Duration?
    /// Of a room that another server has.
    package var upstream: Upstream?

    package struct Upstream {
        /// Whether the owner has let this server in on the connection that there is.
        package var isLive: Bool
        /// Since when the owner has been away, or has owed a sign; nil if neither.
        package var silentSince: Duration?
    }
}
