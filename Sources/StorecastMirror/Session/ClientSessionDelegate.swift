package import StorecastSync
package import StorecastWire

/// What a client session tells its owner.
package protocol ClientSessionDelegate: AnyObject {
    /// The connection is live.
    func welcomed()
    /// A turn's mirrors have all moved; their observers were called.
    func mirrorsMoved()
    /// Dispatches came or went; outcomes that belong to it are told when this has returned.
    func pendingChanged()
    /// Why dispatches can't be stored; nil when they can again. Until then they aren't sent, and
    /// `store()` is to be called from time to time.
    func storageChanged(_ problem: Rejection?)
    /// Dispatches may be sent again when this time is over; call `release()` then.
    func held(for time: Duration)
    /// The server is about to close.
    func bye(_ bye: ServerFrame.Bye)
    /// The server said something that shouldn't be; worth logging.
    func trouble(_ message: String)
}

extension ClientSessionDelegate {
    package func pendingChanged() {}
    package func storageChanged(_ problem: Rejection?) {}
}
