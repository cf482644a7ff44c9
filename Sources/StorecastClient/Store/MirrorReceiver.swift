import StorecastMirror
import StorecastSync

/// A remote store, whatever its state, as updates reach it; belongs to the store's owner.
protocol MirrorReceiver: AnyObject {
    /// Whether it shows what is dispatched and has no outcome.
    var isOptimistic: Bool { get }
    /// Takes an update of the store's own kind, and what is pending, as far as either is new; tells
    /// nobody yet.
    func take(_ update: (any Sendable)?, _ pending: PendingActions?)
    /// Tells subscribers and observers what was taken.
    func announce()
}
