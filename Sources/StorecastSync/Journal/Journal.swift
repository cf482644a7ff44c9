/// The ordered, durable log of every room: the truth that a room's state is computed from.
///
/// A journal belongs to one event loop and isn't `Sendable`; it calls back on that loop. Offsets
/// rise strictly within a room and say nothing else. It may deliver a batch twice (at least once).
package protocol Journal: AnyObject {
    /// Orders `batch` behind everything appended to `room` before it and makes it durable.
    ///
    /// A room has one batch in flight. `completion` is called exactly once, possibly before this
    /// returns, with the offset of the batch's last entry.
    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void)

    /// The entries of `room` behind offset `after` (0 for all), in order, with their offsets.
    ///
    /// Throws ``JournalError/truncated(below:)`` rather than skip entries that are no longer kept.
    func entries(
        of room: String, after: UInt64
    ) throws(JournalError) -> [(offset: UInt64, entry: JournalEntry)]

    /// The offset of the newest entry of `room`, 0 if it has none.
    func head(of room: String) -> UInt64

    /// The id of the history of `room`; another one when its tail may have been lost.
    func epoch(of room: String) -> String
}

/// Why a journal didn't do what it was asked.
package enum JournalError: Error, Equatable, Sendable {
    /// It can't take entries now; nothing was appended.
    case unavailable(String)
    /// Entries below this offset are no longer kept.
    case truncated(below: UInt64)
}
