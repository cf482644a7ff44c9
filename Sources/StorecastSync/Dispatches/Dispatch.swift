public import StorecastWire
import Synchronization

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

/// A dispatch's outcome, settled once and waited for by anyone.
package final class DispatchOutcome: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Position, Rejection>, Never>

    private enum State {
        case waiting([Waiter])
        case settled(Result<Position, Rejection>, isContradicted: Bool)
    }

    private let state = Mutex(State.waiting([]))

    package init() {}

    /// Settles it; the first outcome counts.
    package func settle(_ result: Result<Position, Rejection>) {
        let waiting = state.withLock { state -> [Waiter] in
            switch state {
            case .waiting(let waiting):
                state = .settled(result, isContradicted: false)
                return waiting
            case .settled(let first, _):
                if first != result { state = .settled(first, isContradicted: true) }
                return []
            }
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// The outcome, if it is there.
    package var settled: Result<Position, Rejection>? {
        state.withLock { state in
            if case .settled(let result, _) = state { result } else { nil }
        }
    }

    /// Whether it was later given another outcome, which must never be.
    package var isContradicted: Bool {
        state.withLock { state in
            if case .settled(_, let isContradicted) = state { isContradicted } else { false }
        }
    }

    package func value() async -> Result<Position, Rejection> {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Result<Position, Rejection>? in
                switch state {
                case .settled(let result, _): return result
                case .waiting(let others):
                    state = .waiting(others + [continuation])
                    return nil
                }
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
