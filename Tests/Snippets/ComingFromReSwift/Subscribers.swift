import Storecast
import StorecastObservation

// snippet: subscriber
final class CounterLabel: StoreSubscriber {
    private(set) var text = ""

    func newState(state: Int) {
        text = "\(state)"
    }
}
// end of snippet

// snippet: action-subscriber
final class Journal: ActionSubscriber {
    private(set) var lines: [String] = []

    func newState(state: AppState, action: (any Action)?) {
        lines.append("\(action.map { "\($0)" } ?? "start"): \(state.counter)")
    }
}
// end of snippet

func subscribe(to store: Store<AppState>, _ label: CounterLabel) {
    // snippet: subscribe
    store.subscribe(label) { $0.select(\.counter) }
    // end of snippet
    store.subscribe(label) {
        // snippet: filters
        $0.select { state in state.counter }
            .skip(when: { old, new in abs(old - new) < 10 })
            .only(when: { new in new >= 0 })
        // end of snippet
    }
    // snippet: unsubscribe
    store.unsubscribe(label)
    // end of snippet
}

// snippet: combined-substates
struct Summary: Equatable {
    var counter: Int
    var films: Int

    init(state: AppState) {
        counter = state.counter
        films = state.films.count
    }
}

final class SummaryView: StoreSubscriber {
    private(set) var summary: Summary?

    func appear(_ store: Store<AppState>) {
        store.subscribe(self) { $0.select(Summary.init) }
    }

    func newState(state: Summary) {
        summary = state
    }
}
// end of snippet

/// Uses what ReSwift hasn't; answers how many films the scope sees and what the journal says.
@MainActor package func showMore() async -> (films: Int, journal: [String]) {
    let store = Store(state: AppState(counter: 8), reducer: reduceCounter)
    let journal = Journal()
    store.subscribe(journal)

    // snippet: scope
    let films = store.scope(\.films)
    films.dispatch(AddFilm(title: "Solaris"))  // goes to the whole store
    print(films.state.count)
    // end of snippet

    // snippet: batch
    store.batch {
        store.dispatch(Increase())
        store.dispatch(Increase())
    }  // subscribers hear of it once, here
    // end of snippet

    // snippet: observed
    let count = store.observed(\.counter)
    print(count.value)  // tracked by whoever tracks @Observable values, such as SwiftUI
    // end of snippet

    // snippet: states
    for await count in store.states(of: \.counter) {
        print(count)
        if count == 10 { break }
    }
    // end of snippet
    return (films.state.count, journal.lines)
}

// snippet: operator
extension Subscription {
    func compact<Value>() -> Subscription<Value> where State == Value? {
        Subscription<Value> { sink in
            self.observer = { _, new in
                if let new { sink(nil, new) }
            }
        }
    }
}
// end of snippet
