import Storecast
import Testing

private enum CounterAction: Action {
    case increase
    case decrease
}

private func reduce(_ count: inout Int, _ action: any Action) {
    switch action as? CounterAction {
    case .increase: count += 1
    case .decrease: count -= 1
    case nil: break
    }
}

private final class Log {
    var lines: [String] = []
}

/// Works with every store, because it doesn't ask for the state.
private func logging<State>(to log: Log) -> Middleware<State> {
    { _, _ in
        { next in
            { action in
                log.lines.append("\(action)")
                next(action)
            }
        }
    }
}

/// Answers an increase beyond the limit with another action.
private func limiting(to limit: Int) -> Middleware<Int> {
    { dispatch, getState in
        { next in
            { action in
                if case .increase? = action as? CounterAction, getState() == limit {
                    dispatch(CounterAction.decrease)
                } else {
                    next(action)
                }
            }
        }
    }
}

/// ReSwift's logging middleware, in Swift 6.
struct LoggingMiddlewareTests {
    @Test func `every action is logged on its way, those of other middleware too`() {
        let log = Log()
        let store = Store(
            state: 9, middleware: [logging(to: log), limiting(to: 10)], reducer: reduce)
        store.dispatch(CounterAction.increase)
        store.dispatch(CounterAction.increase)
        #expect(store.state == 9)
        #expect(log.lines == ["increase", "increase", "decrease"])
    }

    @Test func `middleware may be changed while the store is in use`() {
        let log = Log()
        let store = Store(state: 0, reducer: reduce)
        store.dispatch(CounterAction.increase)
        store.middleware.append(logging(to: log))
        store.dispatch(CounterAction.decrease)
        #expect(log.lines == ["decrease"])
    }
}
