import Storecast
import Testing

private struct AppState {
    var counter = 0
}

private enum CounterAction: Action {
    case increase
    case decrease
}

private func counterReducer(action: any Action, state: AppState?) -> AppState {
    var state = state ?? AppState()
    switch action as? CounterAction {
    case .increase: state.counter += 1
    case .decrease: state.counter -= 1
    case nil: break
    }
    return state
}

/// A global store belongs to an actor, as the views do that use it.
@MainActor private let mainStore = Store<AppState>(reducer: counterReducer, state: nil)

@MainActor private final class CounterView: StoreSubscriber {
    private(set) var label = ""

    func appear() { mainStore.subscribe(self) }
    func disappear() { mainStore.unsubscribe(self) }
    func tapIncrease() { mainStore.dispatch(CounterAction.increase) }
    func tapDecrease() { mainStore.dispatch(CounterAction.decrease) }

    func newState(state: AppState) {
        label = "\(state.counter)"
    }
}

/// ReSwift's counter, in Swift 6.
@MainActor struct CounterTests {
    @Test func `the label follows the counter while the view is there`() {
        let view = CounterView()
        view.appear()
        #expect(view.label == "0")
        view.tapIncrease()
        view.tapIncrease()
        view.tapDecrease()
        #expect(view.label == "1")
        view.disappear()
        view.tapIncrease()
        #expect(view.label == "1")
        #expect(mainStore.state.counter == 2)
    }
}
