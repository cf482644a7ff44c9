/// How far a room has come with its history.
package enum RoomPhase: Equatable, Sendable {
    /// The journal is being read; nothing is taken yet.
    case loading
    /// The state is that of the journal's end.
    case ready
    /// The journal can't be read.
    case failed(JournalError)
}
