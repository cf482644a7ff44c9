import Storecast

// snippet: logging
func logging<State>(_ print: @escaping (String) -> Void) -> Middleware<State> {
    { dispatch, getState in
        { next in
            { action in
                print("\(action)")
                next(action)
            }
        }
    }
}
// end of snippet

// snippet: limiting
func limiting(_ limit: Int) -> Middleware<AppState> {
    { dispatch, getState in
        { next in
            { action in
                let isTooMuch = action is Increase && getState().map { $0.counter >= limit } ?? true
                if !isTooMuch { next(action) }
            }
        }
    }
}
// end of snippet

/// The counter behind middleware that stops it at 10.
package func countToTen() -> (counter: Int, log: [String]) {
    var log: [String] = []
    let print: (String) -> Void = { log.append($0) }
    // snippet: middleware
    let store = Store(
        state: AppState(), middleware: [limiting(10), logging { print($0) }],
        reducer: reduceCounter)
    store.middleware.insert(createThunkMiddleware(), at: 0)
    // end of snippet
    store.dispatch(Increase(by: 10))
    store.dispatch(Increase())
    store.dispatch(addFilms(["Solaris"]))
    return (store.state.counter, log)
}
