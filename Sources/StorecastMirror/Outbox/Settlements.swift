import StorecastSync
import StorecastWire

/// Outcomes that are decided and still to be told.
package struct Settlements: Sendable {
    /// Dispatches that were reduced, as of `position`.
    var reduced: [DispatchOutcome] = []
    var position: Position?
    /// Dispatches that weren't.
    var rejected: [(outcome: DispatchOutcome, rejection: Rejection)] = []

    /// Resumes those who wait for them. Every store must be as it should be by now.
    package func tell() {
        if let position {
            for outcome in reduced { outcome.settle(.success(position)) }
        }
        for (outcome, rejection) in rejected { outcome.settle(.failure(rejection)) }
    }
}
