package import StorecastSync

/// A dispatched action without an outcome.
package struct PendingAction: Sendable {
    package let seq: UInt64
    /// With its provisional stamp, if it is ``Stamped``.
    package let action: any SyncAction

    package init(seq: UInt64, action: any SyncAction) {
        self.seq = seq
        self.action = action
    }
}
