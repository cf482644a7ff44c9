// snippet: redux
import StorecastRedux

struct Increment: Action {
    var payload = 1
}

func counter(state: Int?, action: any Action) -> Int {
    (state ?? 0) + ((action as? Increment)?.payload ?? 0)
}

func films(state: [String]?, action: any Action) -> [String] {
    (state ?? []) + ((action as? AddFilm).map { [$0.title] } ?? [])
}
// end of snippet

/// Counts in a store in the shape of Redux, and answers what was printed.
package func useRedux() -> [String] {
    var lines: [String] = []
    func print(_ items: Any...) {
        lines.append(items.map { "\($0)" }.joined(separator: " "))
    }

    // snippet: redux-store
    let reducer = combineReducers(AppState(), (\.counter, counter), (\.films, films))
    let noting: ReduxMiddleware<AppState> = { api in
        { next in
            { action in
                print(api.getState().counter, action)
                return next(action)
            }
        }
    }
    let store = applyMiddleware(noting)(createStore)(reducer, nil)

    let subscription = store.subscribe { state in print(state.counter) }
    let increment = bindActionCreators(Increment.init(payload:), dispatch: store.dispatch)
    increment(2)
    subscription.dispose()
    print(subscription.disposed)  // true
    // end of snippet
    return lines
}
