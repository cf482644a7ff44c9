import Storecast
import StorecastObservation
import StorecastTables

struct Chore: Identifiable, Equatable, Sendable {
    var id: String
    var title: String
}

struct TaskState {
    var tasks = Table<Chore>()
}

// snippet: row
final class TaskLabel: StoreSubscriber {
    private(set) var title = ""

    func appear(_ store: Store<TaskState>, showing id: String) {
        store.subscribe(self) { $0.select(\.tasks, id: id) }
    }

    func newState(state: Chore?) {
        title = state?.title ?? "gone"
    }
}
// end of snippet

func index(_ store: Store<TaskState>) async {
    var titles: [String: String] = [:]
    // snippet: changes
    for await changes in store.changes(of: \.tasks) {
        for change in changes { titles[change.id] = change.new?.title }
    }
    // end of snippet
    print(titles)
}

func observeRows(_ store: Store<TaskState>) {
    // snippet: observed rows
    let tasks = store.observedRows(of: \.tasks)
    for id in tasks.ids {  // tracked: which rows there are, and their order
        print(tasks[id]?.title ?? "")  // tracked: this row
    }
    // end of snippet
}
