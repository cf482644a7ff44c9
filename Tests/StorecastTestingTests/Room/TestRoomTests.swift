import StorecastTesting
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(30)))
struct TestRoomTests {
    private let room = TestRoom(Todos.room)

    @Test func `nothing happens before the test waits`() async {
        let ada = room.connect(as: Identity("ada"))
        ada.dispatch(AddTodo("tea"))
        #expect(ada.status == .connecting)
        #expect(room.state.items.isEmpty)
        await room.settle()
        #expect(ada.status == .live)
        #expect(room.state.items.map(\.title) == ["tea"])
        #expect(room.position.version == 1)
    }

    @Test func `stores show their selections, each client its own`() async {
        let ada = room.connect(as: Identity("ada"))
        let bob = room.connect(as: Identity("bob"))
        let adas = RemoteStore(Todos.mine, on: ada)
        let bobs = RemoteStore(Todos.mine, on: bob)
        ada.dispatch(AddTodo("tea"))
        bob.dispatch(AddTodo("milk"))
        await room.settle()
        #expect(adas.state == ["tea"])
        #expect(bobs.state == ["milk"])
    }

    @Test(arguments: ["server", "storecast.x"])
    func `nobody is let in under a reserved id, as on a server`(id: String) async {
        let connection = room.connect(as: Identity(id))
        await room.settle()
        guard case .closed(let rejection) = connection.status else {
            Issue.record("It is \(connection.status).")
            return
        }
        #expect(rejection?.code == .forbidden)
    }

    @Test func `an outcome comes without settling, as in an app`() async throws {
        let ada = room.connect(as: Identity("ada"))
        let store = RemoteStore(Todos.items, on: ada)
        let position = try await store.dispatch(AddTodo("tea")).outcome
        #expect(position.version == 1)
        #expect(store.state?.map(\.title) == ["tea"])
        let rejected = ada.dispatch(FinishTodo("tea"))
        await #expect { try await rejected.outcome } throws: {
            ($0 as? Rejection)?.code == .forbidden
        }
    }

    @Test func `the server's own code dispatches too, and looks at the store`() async throws {
        let ada = room.connect(as: Identity("ada"))
        let store = RemoteStore(Todos.items, on: ada)
        let dispatch = room.dispatch(AddTodo("tea"))
        room.withStore { $0.dispatch(AddTodo("milk")) }
        await room.settle()
        #expect(try await dispatch.outcome.version == 1)
        #expect(store.state?.map(\.title) == ["tea", "milk"])
        #expect(store.state?.map(\.author) == ["server", "server"])
        #expect(room.withStore { $0.state.items.count } == 2)
    }

    // MARK: Bad connections

    @Test func `a cut connection comes back by its back-off`() async {
        let ada = room.connect(as: Identity("ada"))
        let store = RemoteStore(Todos.items, on: ada)
        await room.settle()
        room.cut(ada)
        await room.settle()
        guard case .offline(let outage) = ada.status else {
            return #expect(Bool(false), "\(ada.status)")
        }
        #expect(outage.reason == "The test cut the connection.")
        #expect(outage.since == Timestamp(secondsSince1970: 0))
        room.dispatch(AddTodo("tea"))
        let delay = Duration.seconds(outage.retryAt.secondsSince1970)
        await room.advance(by: delay - .milliseconds(1))
        #expect(ada.status != .live)
        #expect(store.state == [])
        await room.advance(by: .milliseconds(1))
        #expect(ada.status == .live)
        #expect(store.state?.count == 1)
    }

    @Test func `what was under way when the connection was cut is reduced once`() async throws {
        let ada = room.connect(as: Identity("ada"))
        await room.settle()
        let first = ada.dispatch(AddTodo("tea"))
        room.cut(ada)
        let second = ada.dispatch(AddTodo("milk"))
        await room.advance(by: .seconds(30))
        #expect(try await first.outcome.version <= 2)
        #expect(try await second.outcome.version == 2)
        #expect(room.state.items.map(\.title) == ["tea", "milk"])
    }

    @Test func `a client that is offline stays so until it may come back`() async throws {
        let ada = room.connect(as: Identity("ada"))
        await room.settle()
        room.goOffline(ada)
        let dispatch = ada.dispatch(AddTodo("tea"))
        await room.advance(by: .seconds(3600))
        guard case .offline = ada.status else { return #expect(Bool(false), "\(ada.status)") }
        #expect(room.state.items.isEmpty)
        room.goOnline(ada)
        await room.settle()
        #expect(room.state.items.isEmpty)
        ada.reconnect()
        await room.settle()
        #expect(ada.status == .live)
        #expect(try await dispatch.outcome.version == 1)
    }

    @Test func `an app can start without a connection`() async {
        let ada = room.connect(as: Identity("ada"), isOnline: false)
        let store = RemoteStore(Todos.items, on: ada)
        await room.settle()
        #expect(store.state == nil)
        room.goOnline(ada)
        await room.advance(by: .seconds(30))
        #expect(store.state == [])
    }

    @Test func `a client that the server refuses is told why, for good`() async {
        let ada = room.connect(as: Identity("ada"))
        await room.settle()
        room.refuse(ada, Rejection(.unauthenticated, "Signed out."))
        await room.advance(by: .seconds(60))
        guard case .closed(let rejection?) = ada.status else {
            return #expect(Bool(false), "\(ada.status)")
        }
        #expect(rejection.code == .unauthenticated)
        #expect(rejection.title == "Signed out.")
    }

    @Test func `a client that is refused while it is away isn't let in when it comes back`() async {
        let ada = room.connect(as: Identity("ada"))
        await room.settle()
        room.goOffline(ada)
        room.refuse(ada, Rejection(.unauthenticated, "Signed out."))
        room.goOnline(ada)
        await room.advance(by: .seconds(60))
        guard case .closed(let rejection?) = ada.status else {
            return #expect(Bool(false), "\(ada.status)")
        }
        #expect(rejection.title == "Signed out.")
    }

    @Test func `a quiet connection is kept alive for an hour`() async {
        let ada = room.connect(as: Identity("ada"))
        let store = RemoteStore(Todos.items, on: ada)
        await room.advance(by: .seconds(3600))
        #expect(ada.status == .live)
        ada.dispatch(AddTodo("tea"))
        await room.settle()
        #expect(store.state?.first?.added == 3600)
    }

    @Test func `a connection ends when nobody holds it`() async {
        var ada: RemoteConnection? = room.connect(as: Identity("ada"))
        var statuses = ada!.statuses.makeAsyncIterator()
        await room.settle()
        ada = nil
        await room.settle()
        var last: RemoteConnection.Status?
        while let status = await statuses.next() { last = status }
        #expect(last == .closed(nil))
    }

    // MARK: One time for all

    @Test func `code that sleeps on the clock shares the room's time`() async {
        let ada = room.connect(as: Identity("ada"))
        let clock: any Clock<Duration> = room.clock
        let ticking = Task {
            while true {
                try await clock.sleep(for: .seconds(10))
                await Busy.elsewhere(for: .milliseconds(2))
                ada.dispatch(AddTodo("tick"))
            }
        }
        await room.clock.waitForSleeper()
        await room.advance(by: .seconds(35))
        #expect(room.state.items.map(\.added) == [10, 20, 30])
        ticking.cancel()
    }

    @Test func `what a task of the app does with an outcome has happened when it settles`() async {
        let ada = room.connect(as: Identity("ada"))
        var problem: String?
        func finish() async {
            do {
                _ = try await ada.dispatch(FinishTodo("tea")).outcome
            } catch {
                problem = error.title
            }
        }
        Task { await finish() }
        await room.settle()
        #expect(problem == "Only the boss.")
    }

    @Test func `stores of another actor have settled too, however busy it is`() async {
        let shelf = Shelf()
        let ada = room.connect(as: Identity("ada"))
        await shelf.follow(ada)
        await room.settle()
        ada.dispatch(AddTodo("tea"))
        await shelf.beginToBeBusy(for: .milliseconds(20))
        await room.settle()
        #expect(shelf.titles.withLock(\.self) == ["tea"])
    }

    // MARK: The same again

    @Test func `the same seed gives the same history, another seed another`() async {
        let (first, again, other) = (await history(1), await history(1), await history(2))
        #expect(first == again)
        #expect(first != other)
        #expect(first.count > 20)
    }

    /// Everything that clients see while two of them lose their connections now and then.
    private func history(_ seed: UInt64) async -> [String] {
        let room = TestRoom(Todos.room, seed: seed)
        var seen = [room.position.epoch]
        let clients = ["ada", "bob"].map { room.connect(as: Identity($0)) }
        let stores = clients.map { RemoteStore(Todos.items, on: $0) }
        for round in 0..<8 {
            clients[round % 2].dispatch(AddTodo("\(round)"))
            if round % 3 == 0 { room.cut(clients[1]) }
            clients[1].dispatch(AddTodo("late \(round)"))
            await room.advance(by: .milliseconds(300))
            seen += clients.map { "\($0.status)" } + stores.map { "\($0.state ?? [])" }
        }
        return seen
    }

    @Test func `a check that breaks fails the test where the room was made`() async {
        struct Broken: Error {}
        let room = TestRoom(Todos.room.validate(AddTodo.self) { _, _, _ in throw Broken() })
        let line = #line - 1
        let issues = Mutex<[Issue]>([])
        await withKnownIssue {
            room.dispatch(AddTodo("tea"))
            await room.settle()
        } matching: { issue in
            issues.withLock { $0.append(issue) }
            return true
        }
        #expect(issues.withLock { $0.map { $0.sourceLocation?.line } } == [line])
        #expect(
            issues.withLock { $0.map { $0.comments.map(\.rawValue) } }
                == [["A check in room '/' failed: Broken()"]])
    }
}

/// An actor that owns a store, away from the main actor.
private actor Shelf {
    nonisolated let titles = Mutex<[String]>([])
    private var store: RemoteStore<[Todos.Item]>?
    private var reader: Reader?

    func follow(_ connection: RemoteConnection) {
        let store = RemoteStore(Todos.items, on: connection)
        let reader = Reader(shelf: self)
        store.subscribe(reader)
        (self.store, self.reader) = (store, reader)
    }

    /// Returns when the actor has begun to do nothing else.
    nonisolated func beginToBeBusy(for duration: Duration) async {
        await withCheckedContinuation { begun in
            Task { await beBusy(for: duration, begun) }
        }
    }

    private func beBusy(for duration: Duration, _ begun: CheckedContinuation<Void, Never>) {
        begun.resume()
        Busy.here(for: duration)
    }

    private final class Reader: StoreSubscriber {
        private unowned let shelf: Shelf

        init(shelf: Shelf) { self.shelf = shelf }

        func newState(state: [Todos.Item]) {
            shelf.titles.withLock { $0 = state.map(\.title) }
        }
    }
}

/// Code that takes its time.
private enum Busy {
    static func here(for duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }

    @concurrent static func elsewhere(for duration: Duration) async {
        here(for: duration)
    }
}
