import StorecastTesting

/// Things to do, in the order in which they were added.
struct Todos: Codable, Equatable, Sendable {
    struct Item: Codable, Equatable, Sendable {
        var id: String
        var title: String
        var author = ""
        var added = 0.0
        var luck: UInt64 = 0
    }

    var items: [Item] = []
    var done = 0

    @Sendable static func reduce(_ todos: inout Todos, _ action: any Action) {
        switch action {
        case let add as AddTodo:
            todos.items.append(
                Item(
                    id: add.stamp.id, title: add.title, author: add.stamp.sender.id,
                    added: add.stamp.time.secondsSince1970, luck: add.stamp.seed))
        case let finish as FinishTodo:
            let count = todos.items.count
            todos.items.removeAll { $0.title == finish.title }
            todos.done += count - todos.items.count
        default: break
        }
    }
}

struct AddTodo: Stamped {
    var title: String
    var stamp = Stamp()
    init(_ title: String) { self.title = title }
}

struct FinishTodo: SyncAction {
    var title: String
    init(_ title: String) { self.title = title }
}

struct Tidy: SyncAction {}

extension Todos {
    static let items = Selection("items") { (todos: Todos) in todos.items }
    static let done = Selection("done") { (todos: Todos) in todos.done }
    static let mine = Selection("mine") { (todos: Todos, me: Identity) in
        todos.items.filter { $0.author == me.id }.map(\.title)
    }

    /// Everyone adds, the author `boss` finishes, and nobody tidies.
    static let room = RoomDefinition(
        state: Todos(), actions: [AddTodo.self, FinishTodo.self],
        selections: [items, done, mine], reducer: reduce
    )
    .validate(FinishTodo.self) { todos, finish, _ in
        guard todos.items.contains(where: { $0.title == finish.title }) else {
            throw Rejection(.conflict, "Somebody was faster.", detail: finish.title)
        }
    }
    .authorize(FinishTodo.self) { _, sender in
        guard sender.id == "boss" else { throw Rejection(.forbidden, "Only the boss.") }
    }
    .allowAll(.open)
}
