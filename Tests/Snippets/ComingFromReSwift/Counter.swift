import Storecast

// snippet: counter
struct AppState: Equatable {
    var counter = 0
    var films: [String] = []
    var log: [String] = []
}

struct Increase: Action {
    var by = 1
}

func counterReducer(action: any Action, state: AppState?) -> AppState {
    var state = state ?? AppState()
    if let increase = action as? Increase { state.counter += increase.by }
    return state
}
// end of snippet

// snippet: counter-in-place
func reduceCounter(_ state: inout AppState, _ action: any Action) {
    if let increase = action as? Increase { state.counter += increase.by }
}
// end of snippet

// snippet: global-store
@MainActor let mainStore = Store<AppState>(reducer: counterReducer, state: nil)
// end of snippet

func makeStores() {
    // snippet: store
    let store = Store(state: AppState(), reducer: reduceCounter)
    store.dispatch(Increase(by: 2))
    print(store.state.counter)  // 2
    // end of snippet
}
