/// What goes wrong with an append.
enum JournalFault: Equatable, Sendable, CustomDebugStringConvertible {
    /// Nothing is kept, and it says so.
    case unavailable
    /// Nobody can tell whether the batch was kept; it was.
    case unknownKept
    /// Nobody can tell whether the batch was kept; it wasn't.
    case unknownLost
    /// The batch is kept twice.
    case keptTwice
    /// One entry can't be kept.
    case unfit
    /// It takes this long.
    case stalled(Duration)

    var debugDescription: String {
        switch self {
        case .unavailable: "unavailable"
        case .unknownKept: "outcome unknown, kept"
        case .unknownLost: "outcome unknown, lost"
        case .keptTwice: "kept twice"
        case .unfit: "unfit"
        case .stalled(let time): "stalled for \(time)"
        }
    }
}
