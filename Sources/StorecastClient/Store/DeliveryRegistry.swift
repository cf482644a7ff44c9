import StorecastMirror
import StorecastSync
import Synchronization

/// The deliveries of a connection, one for each actor that owns stores on it.
final class DeliveryRegistry: Sendable {
    private struct State {
        var deliveries: [ObjectIdentifier: Deliveries] = [:]
        var lastID: UInt64 = 0
        var wantsPending = false
    }

    private let state = Mutex(State())

    /// A number for one more store.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Whether there is, or was, a store that shows what is dispatched and has no outcome.
    var wantsPending: Bool {
        get { state.withLock(\.wantsPending) }
        set { state.withLock { $0.wantsPending = newValue } }
    }

    /// What takes updates to `owner`.
    func deliveries(to owner: any Actor) -> Deliveries {
        state.withLock { state in
            let key = ObjectIdentifier(owner)
            // An owner that is gone may have left its address to this one.
            if let known = state.deliveries[key], known.owner != nil { return known }
            state.deliveries = state.deliveries.filter { $0.value.owner != nil }
            let new = Deliveries(owner: owner)
            state.deliveries[key] = new
            return new
        }
    }

    /// Sends every owner that has mail to its mailbox.
    func deliver() {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            deliveries.deliver()
        }
    }

    /// Takes what is dispatched and has no outcome to every owner, with the mail that is there.
    func deliver(_ pending: PendingActions) {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            deliveries.post(pending)
            deliveries.deliver()
        }
    }

    /// Returns when every owner has taken all that was posted before.
    func settle() async {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            await deliveries.settle()
        }
    }
}
