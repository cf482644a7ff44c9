/// A remote store, whatever its state, as updates reach it; belongs to the store's owner.
protocol MirrorReceiver: AnyObject {
    /// Takes an update of the store's own kind, and tells nobody yet.
    func take(_ update: any Sendable)
    /// Tells subscribers and observers what was taken.
    func announce()
}
