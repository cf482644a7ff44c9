import StorecastWire

/// An outcome that is decided and still to be told.
package struct Settlement: Sendable {
    let outcome: DispatchOutcome
    let result: Result<Position, Rejection>

    /// Resumes whoever waits for it. Every store must be as it should be by now.
    package func tell() {
        outcome.settle(result)
    }
}
