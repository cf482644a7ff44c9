/// Hears what happens in a room, while somebody looks into it; called on the room's loop.
package protocol RoomObserver: AnyObject {
    /// A selection got its first subscription, or lost its last: see ``Room/selectionsInUse``.
    func selectionsChanged()
    /// A batch is handed to the journal.
    func appending()
    /// The journal has the batch, and what is in it is about to be reduced.
    func appended()
    /// The batch is reduced, and the selections are evaluated.
    func committed()
    /// A dispatch has its outcome, as of `version`.
    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64)
}

extension RoomObserver {
    package func selectionsChanged() {}
    package func appending() {}
    package func appended() {}
    package func committed() {}
}
