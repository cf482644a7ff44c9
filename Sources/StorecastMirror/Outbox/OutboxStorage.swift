package import StorecastSync

/// Where the text of an outbox is kept across restarts of its process.
///
/// Every function may block for as long as its disk takes, and throws `outbox-unwritable` (or
/// `outbox-unreadable`) with the cause in `detail`. Belongs to one session.
package protocol OutboxStorage: AnyObject {
    /// All of the text that is there, which a crash may have left torn at its end.
    func read() throws(Rejection) -> [UInt8]
    /// Adds to the end. Until ``sync()`` returns a crash may take away any part of it.
    func append(_ text: [UInt8]) throws(Rejection)
    /// Returns when everything appended would survive a crash.
    func sync() throws(Rejection)
    /// Puts `text` in the place of everything; a crash leaves either the old text or the new one,
    /// and the new one when this has returned.
    func replace(with text: [UInt8]) throws(Rejection)
}
