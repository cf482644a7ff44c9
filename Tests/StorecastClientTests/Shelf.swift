import StorecastClient
import StorecastServer
import Synchronization

/// What the client's tests mirror: two lists that change together, and their lengths.
struct Shelf: Codable, Equatable, Sendable {
    var books: [String] = []
    var titles: [String] = []

    static let books = Selection("books") { (shelf: Shelf) in shelf.books }
    static let titles = Selection("titles", part: \Shelf.titles)
    static let book = Selection("book") { (shelf: Shelf, place: Int) in
        shelf.books.indices.contains(place) ? shelf.books[place] : ""
    }

    /// What an optimistic store of ``books`` does.
    static func put(_ books: inout [String], _ action: any Action) {
        if let put = action as? PutBook { books.append(put.title) }
    }

    static func room(_ evaluations: Tally = Tally()) -> RoomDefinition<Shelf> {
        let counted = Selection("books") { (shelf: Shelf) in
            evaluations.increase()
            return shelf.books
        }
        return RoomDefinition(
            state: Shelf(), actions: [PutBook.self], selections: [counted, titles, book]
        ) { shelf, action in
            guard let put = action as? PutBook else { return }
            shelf.books.append(put.title)
            shelf.titles.append(put.title)
        }
        .allowAll(.open)
        .validate(PutBook.self) { shelf, put, _ in
            guard !shelf.books.contains(put.title) else {
                throw Rejection(.conflict, "It is there already.", detail: put.title)
            }
        }
    }
}

struct PutBook: SyncAction { var title: String }
struct Unknown: SyncAction {}

/// Counts from any thread.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .relaxed) }

    func increase() { number.add(1, ordering: .relaxed) }
}

/// Remembers what it is told.
final class Listener<State>: StoreSubscriber {
    private(set) var heard: [State] = []
    var onState: (State) -> Void = { _ in }

    func newState(state: State) {
        heard.append(state)
        onState(state)
    }
}

/// A server with one room and a connection to it.
struct Desk {
    let server: SyncServer
    let url: String
    let connection: RemoteConnection
    let evaluations = Tally()

    init() async throws {
        server = SyncServer(port: 0, room: Shelf.room(evaluations))
        url = try await server.start()
        connection = RemoteConnection(url)
    }

    func put(_ title: String) async throws {
        let room = try await server.room("/", of: Shelf.self)
        _ = try await room.dispatch(PutBook(title: title)).outcome
    }

    func close() async {
        connection.close()
        await server.stop()
    }
}
