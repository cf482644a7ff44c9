import Synchronization
package import StorecastWire

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
