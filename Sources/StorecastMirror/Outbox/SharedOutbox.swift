import StorecastSync
import Synchronization

/// An outbox as all threads of a client see it: dispatches are numbered on any of them, and settled
/// by the session.
package final class SharedOutbox: Sendable {
    /// The client's id, for life; a secret of client and server.
    package let client: String
    private let outbox: Mutex<Outbox>

    package init(client: String, _ outbox: Outbox = Outbox()) {
        self.client = client
        self.outbox = Mutex(outbox)
    }

    package func withLock<Value: Sendable, Failure>(
        _ work: (inout Outbox) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try outbox.withLock { outbox throws(Failure) in try work(&outbox) }
    }
}
