/// Why a journal didn't do what it was asked.
package enum JournalError: Error, Equatable, Sendable {
    /// It can't do it now; nothing was appended.
    case unavailable(String)
    /// Nobody can tell whether the batch was appended.
    case unknownOutcome(String)
    /// The batch's entry at this place can't be kept, as it is too large or can't be encoded;
    /// nothing was appended.
    case unfit(place: Int, String)
    /// Entries below this offset are no longer kept.
    case truncated(below: UInt64)
    /// What is kept can't be read: the reason, for the server's owner.
    case damaged(String)
}
