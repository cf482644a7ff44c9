/// What goes wrong with an append.
enum JournalFault: Equatable, Sendable {
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
}
