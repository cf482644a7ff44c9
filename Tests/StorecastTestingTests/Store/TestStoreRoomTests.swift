import StorecastTesting
import Synchronization
import Testing

struct TestStoreRoomTests {
    private let todos = TestStore(Todos.room)

    @Test func `stamps count up, and say who and when as the test does`() {
        todos.dispatch(AddTodo("tea")) {
            $0.items = [Todos.Item(id: "1", title: "tea", author: "", added: 0, luck: 1)]
        }
        todos.stamp.sender = Identity("ada")
        todos.stamp.time = Timestamp(secondsSince1970: 60)
        todos.dispatch(AddTodo("milk")) {
            $0.items.append(.init(id: "2", title: "milk", author: "ada", added: 60, luck: 2))
        }
        todos.stamp.id = "mine"
        todos.stamp.seed = 99
        todos.dispatch(AddTodo("jam")) {
            $0.items.append(.init(id: "mine", title: "jam", author: "ada", added: 60, luck: 99))
        }
        todos.dispatch(AddTodo("bread")) {
            $0.items.append(.init(id: "4", title: "bread", author: "ada", added: 60, luck: 4))
        }
    }

    @Test func `rules are asked about the sender and the state`() {
        let refused = todos.expectRejection(of: FinishTodo("tea"), .forbidden)
        #expect(refused?.title == "Only the boss.")
        todos.stamp.sender = Identity("boss")
        let late = todos.expectRejection(of: FinishTodo("tea"), .conflict)
        #expect(late?.detail == "tea")
        todos.dispatch(AddTodo("tea")) {
            $0.items = [.init(id: "3", title: "tea", author: "boss", luck: 3)]
        }
        todos.dispatch(FinishTodo("tea")) {
            $0.items = []
            $0.done = 1
        }
    }

    @Test func `an action that the room's catalogue doesn't have is rejected`() {
        todos.expectRejection(of: Tidy(), .unknownAction)
    }

    @Test func `an action that is rejected unexpectedly fails`() {
        expectIssue(
            "FinishTodo was rejected as forbidden: Only the boss."
        ) {
            todos.dispatch(FinishTodo("tea"))
            return #line - 1
        }
    }

    @Test func `an action that can't cross the wire fails`() {
        struct Local: Action {}
        expectIssue("Local was rejected as unknown-action: A room takes SyncActions only.") {
            todos.dispatch(Local())
            return #line - 1
        }
    }

    @Test func `what the server dispatches by itself is stamped as its own`() {
        todos.stamp.sender = Identity("ada")
        todos.store.dispatch(AddTodo("tea"))
        todos.expectChange {
            $0.items = [.init(id: "server-1", title: "tea", author: "server", luck: 1)]
        }
        todos.store.dispatch(AddTodo("milk"))
        todos.expectChange {
            $0.items.append(.init(id: "server-2", title: "milk", author: "server", luck: 2))
        }
    }

    @Test func `what the server dispatches takes effect after the call, as on a server`() {
        todos.store.dispatch(AddTodo("tea"))
        #expect(todos.store.state.items.isEmpty)
        #expect(todos.state.items.map(\.title) == ["tea"])
        todos.expectChange { $0.items = todos.state.items }
    }

    @Test func `a test may dispatch as the server, with a stamp and without authorization`() {
        todos.stamp.sender = .server
        todos.stamp.time = Timestamp(secondsSince1970: 9)
        todos.dispatch(AddTodo("tea")) {
            $0.items = [.init(id: "1", title: "tea", author: "server", added: 9, luck: 1)]
        }
        todos.dispatch(FinishTodo("tea")) {
            $0.items = []
            $0.done = 1
        }
        todos.expectRejection(of: FinishTodo("tea"), .conflict)
        todos.stamp.sender = Identity("ada")
        todos.expectRejection(of: FinishTodo("tea"), .forbidden)
    }

    @Test func `a room is reverted, by whom it lets`() {
        let todos = TestStore(Todos.room.revertible())
        let tea = Todos.Item(id: "1", title: "tea", luck: 1)
        todos.dispatch(AddTodo("tea")) { $0.items = [tea] }
        todos.dispatch(AddTodo("milk")) {
            $0.items.append(.init(id: "2", title: "milk", luck: 2))
        }
        todos.expectRejection(of: RevertTo<Todos>(version: 1), .forbidden)
        todos.stamp.sender = .server
        todos.expectRejection(of: RevertTo<Todos>(version: 9), .invalid)
        todos.dispatch(RevertTo<Todos>(version: 0)) { $0.items = [] }
        todos.dispatch(RevertTo<Todos>(version: 1)) { $0.items = [tea] }

        let open = TestStore(
            Todos.room.revertible().authorize(RevertTo<Todos>.self) { _, _ in })
        open.dispatch(AddTodo("tea")) { $0.items = [tea] }
        open.dispatch(RevertTo<Todos>(version: 0)) { $0.items = [] }
        TestStore(Todos.room).expectRejection(of: RevertTo<Todos>(version: 0), .unknownAction)
    }

    @Test func `what clients may not say is refused, and what is too large or too deep`() {
        struct Nest: SyncAction {
            indirect enum Level: Codable, Sendable { case end, inside(Level) }
            var level: Level
        }
        var limits = SyncLimits()
        limits.messageBytes = 512
        limits.depth = 16
        let todos = TestStore(Todos.room, limits: limits)
        todos.expectRejection(of: ClientJoined(participant: "a", user: "ada"), .forbidden)
        todos.expectRejection(of: AddTodo(String(repeating: "x", count: 512)), .invalid)
        let nest = (0..<8).reduce(Nest.Level.end) { level, _ in .inside(level) }
        todos.expectRejection(of: Nest(level: nest), .invalid)
        todos.expectRejection(of: Nest(level: .end), .unknownAction)
    }

    @Test func `a check that breaks is an internal rejection, and says why to the test`() {
        struct Broken: Error {}
        let todos = TestStore(Todos.room.validate(AddTodo.self) { _, _, _ in throw Broken() })
        let rejection = todos.expectRejection(of: AddTodo("tea"), .internal)
        #expect(rejection?.detail?.contains("Broken()") == true)
    }

    @Test func `a retryable refusal is told, and what comes next counts`() {
        let todos = TestStore(
            Todos.room.authorize(AddTodo.self) { add, _ in
                guard add.title != "tea" else {
                    throw Rejection(.busy, "Later.", retryAfter: .zero)
                }
            })
        todos.expectRejection(of: AddTodo("tea"), .busy)
        todos.dispatch(AddTodo("milk")) { $0.items = [.init(id: "2", title: "milk", luck: 2)] }
    }

    @Test func `the server's own action that its room couldn't read again is rejected`() {
        todos.stamp.sender = .server
        todos.expectRejection(of: Tidy(), .unknownAction)
        todos.dispatch(AddTodo("tea")) { $0.items = todos.state.items }
    }

    @Test func `a check that isn't deterministic fails`() {
        let asked = Asked()
        let todos = TestStore(
            Todos.room.validate(AddTodo.self) { _, _, _ in
                if asked.isFirst() { throw Rejection(.conflict, "The first is always refused.") }
            })
        withKnownIssue {
            todos.expectRejection(of: AddTodo("tea"), .conflict)
        } matching: { issue in
            issue.comments[0].rawValue.hasPrefix("AddTodo isn't reduced alike every time.")
        }
    }

    @Test func `an action of the server's own that is rejected fails`() {
        expectIssue(
            """
            FinishTodo, the server's own action, was rejected: Somebody was faster. tea
            """
        ) {
            todos.expectRejection(of: FinishTodo("tea"), .forbidden)
            todos.store.dispatch(FinishTodo("tea"))
            _ = todos.state
            return #line - 3
        }
    }

    @Test func `an action that should be rejected and isn't fails`() {
        let room = RoomDefinition(state: 0, actions: [Tidy.self], selections: []) { _, _ in }
        let store = TestStore(room)
        expectIssue("Tidy was not rejected.") {
            store.expectRejection(of: Tidy(), .forbidden)
            return #line - 1
        }
    }

    @Test func `another rejection than the expected one fails`() {
        expectIssue(
            "FinishTodo was rejected as forbidden instead of conflict: Only the boss."
        ) {
            todos.expectRejection(of: FinishTodo("tea"), .conflict)
            return #line - 1
        }
    }

    @Test func `what isn't encoded doesn't arrive`() {
        struct Note: SyncAction {
            var text = ""
            var secret = ""
            enum CodingKeys: CodingKey { case text }
            init(text: String, secret: String) { (self.text, self.secret) = (text, secret) }
        }
        let notes = TestStore(
            RoomDefinition(state: [String](), actions: [Note.self], selections: []) {
                if let note = $1 as? Note { $0 += [note.text, note.secret] }
            })
        notes.dispatch(Note(text: "a", secret: "b")) { $0 = ["a", ""] }
    }

    @Test func `a reducer that isn't deterministic fails`() {
        let room = RoomDefinition(state: 7, actions: [Tidy.self], selections: []) { state, _ in
            state = state == 7 ? 1 : 2
            Chance.toss(&state)
        }
        let store = TestStore(room)
        withKnownIssue {
            store.dispatch(Tidy()) { $0 = store.state }
        } matching: { issue in
            issue.comments[0].rawValue.hasPrefix("Tidy isn't reduced alike every time.")
        }
    }

    @Test func `what middleware makes of an action is reduced as one, or not at all`() {
        let room = Todos.room.onOpen { store in
            store.middleware = [
                { _, _ in
                    { next in
                        { action in
                            next(action)
                            guard let add = action as? AddTodo else { return }
                            next(AddTodo("wash up"))
                            if add.title == "nothing" { next(FinishTodo("what isn't there")) }
                        }
                    }
                }
            ]
        }
        let todos = TestStore(room)
        todos.dispatch(AddTodo("eat")) {
            $0.items = [
                .init(id: "1", title: "eat", luck: 1), .init(id: "1.1", title: "wash up", luck: 2),
            ]
        }
        todos.expectRejection(of: AddTodo("nothing"), .conflict)
    }
}

/// Remembers that it was asked, which no check should.
private final class Asked: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}

/// A source of numbers that no reducer should have.
private enum Chance {
    static func toss(_ number: inout Int) {
        number = .random(in: 0 ... .max)
    }
}
