/// How far a room has come with its history.
package enum RoomPhase: Equatable, Sendable {
    /// The journal is being read; nothing is taken yet.
    case loading
    /// The state is that of the journal's end.
    case ready
    /// The journal can't be read.
    case failed(JournalError)

    /// Whether it can't be read now and won't be later either.
    package var isFinal: Bool {
        switch self {
        case .failed(.damaged), .failed(.truncated): true
        default: false
        }
    }
}
