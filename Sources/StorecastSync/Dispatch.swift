public import StorecastWire

/// A dispatch under way; ignore it or wait for its outcome.
public struct Dispatch: Sendable {
    package let result: DispatchOutcome

    package init(_ result: DispatchOutcome) {
        self.result = result
    }

    /// Waits for the position at which the action had been reduced: from there on, everything that
    /// the dispatching side selected shows it.
    ///
    /// Throws the ``Rejection`` if it had no effect. Waits as long as the connection takes to come
    /// back; a connection that is closed for good ends the wait with `closed`. A cancelled task
    /// waits on: the outcome is coming all the same.
    public var outcome: Position {
        get async throws(Rejection) {
            try await result.value()
        }
    }
}
