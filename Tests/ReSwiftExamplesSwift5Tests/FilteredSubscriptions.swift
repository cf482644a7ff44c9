import Storecast

struct Repository {
    var name: String
}

struct RepositoriesState: StateType {
    var repositories: [Repository] = []
    var filter = ""
    var unread: Int?
}

struct SetRepositories: Action {
    let repositories: [Repository]
}

struct SetFilter: Action {
    let filter: String
}

struct SetUnread: Action {
    let unread: Int?
}

func repositoriesReducer(action: Action, state: RepositoriesState?) -> RepositoriesState {
    var state = state ?? RepositoriesState()
    switch action {
    case let action as SetRepositories: state.repositories = action.repositories
    case let action as SetFilter: state.filter = action.filter
    case let action as SetUnread: state.unread = action.unread
    case _ as ReSwiftInit: break
    default: break
    }
    return state
}

let repositoriesStore = Store(
    reducer: repositoriesReducer,
    state: RepositoriesState(),
    middleware: [])

class RepositoriesViewController: UIViewController, StoreSubscriber {
    var reloads: [[String]] = []

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        repositoriesStore.subscribe(self) { subscription in
            subscription
                .select { state in state.repositories }
                .skip(when: { old, new in old.isEmpty && new.isEmpty })
        }
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        repositoriesStore.unsubscribe(self)
    }

    func newState(state: [Repository]) {
        reloads.append(state.map { $0.name })
    }
}

class FilterViewController: UIViewController, StoreSubscriber {
    typealias StoreSubscriberStateType = String

    var texts: [String] = []

    override func viewWillAppear(_ animated: Bool) {
        repositoriesStore.subscribe(self) { $0.select(\.filter) }
    }

    func newState(state: String) {
        texts.append(state)
    }
}

class BadgeViewController: UIViewController, StoreSubscriber {
    var badges: [Int?] = []

    override func viewWillAppear(_ animated: Bool) {
        repositoriesStore.subscribe(self) {
            $0.select { $0.unread }.skipRepeats().only(when: { $1 != 0 })
        }
    }

    func newState(state: Int?) {
        badges.append(state)
    }
}
