public import StorecastWire

/// A dispatch under way; ignore it or wait for its outcome.
public struct Dispatch: Sendable {
    package let result: DispatchOutcome
    private let stores: (any OutcomeStores)?

    /// - Parameter stores: show what became of it before anyone hears of its outcome.
    package init(_ result: DispatchOutcome, shownIn stores: (any OutcomeStores)? = nil) {
        self.result = result
        self.stores = stores
    }

    /// Waits for the position at which the action had been reduced: from there on, everything that
    /// the dispatching side selected shows it.
    ///
    /// Throws the ``Rejection`` if it had no effect. Waits as long as the connection takes to come
    /// back; a connection that is closed for good ends the wait with `closed`. A cancelled task
    /// waits on: the outcome is coming all the same.
    public var outcome: Position {
        get async throws(Rejection) {
            let result = await result.value()
            // The caller's actor: its stores may have been sent the news and not had the time yet.
            if let owner = #isolation as (any Actor)? { await stores?.update(on: owner) }
            return try result.get()
        }
    }
}

/// The stores of a client, on any actors.
package protocol OutcomeStores: Sendable {
    /// Takes everything that has come for the stores of `owner` by now.
    func update(on owner: isolated any Actor)
}
