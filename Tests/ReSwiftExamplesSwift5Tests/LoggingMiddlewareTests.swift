import Storecast
import Testing

/// What the program printed.
@MainActor private var lines: [String] = []

/// Takes the place of the standard library's function in this module.
func print(_ item: Any) {
    MainActor.assumeIsolated { lines.append("\(item)") }
}

@MainActor struct LoggingMiddlewareTests {
    @Test func `every action is logged on its way, those of other middleware too`() {
        let store = Store(
            reducer: counterReducer, state: CounterState(counter: 9),
            middleware: [loggingMiddleware, secondMiddleware])
        store.dispatch(CounterActionIncrease())
        store.dispatch(CounterActionIncrease())
        #expect(store.state.counter == 9)
        #expect(
            lines == [
                "CounterActionIncrease()", "CounterActionIncrease()", "CounterActionDecrease()",
            ])
    }
}
