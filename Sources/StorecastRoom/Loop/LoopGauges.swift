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

    package init() {}

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
}
