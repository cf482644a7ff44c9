import StorecastTesting
import Testing

/// A test's room is the one that a server has, and ends with the test.
@MainActor @Suite(.timeLimit(.minutes(30)))
struct TestRoomServerTests {
    @Test func `the server's own code speaks for others, and reverts to any version`() async throws
    {
        let room = TestRoom(Todos.room.revertible())
        room.dispatch(AddTodo("tea"))
        room.dispatch(AddTodo("milk"), as: Identity("ada"))
        await room.settle()
        #expect(room.state.items.map(\.author) == ["server", "ada"])
        let revert = room.dispatch(RevertTo<Todos>(version: 1))
        await room.settle()
        #expect(try await revert.outcome.version == 3)
        #expect(room.state.items.map(\.title) == ["tea"])
    }

    @Test func `limits are those that a server is given`() async {
        var limits = SyncLimits()
        limits.messageBytes = 1 << 10
        let room = TestRoom(Todos.room, limits: limits)
        let ada = room.connect(as: Identity("ada"))
        await room.settle()
        let dispatch = ada.dispatch(AddTodo(String(repeating: "x", count: 2 << 10)))
        await #expect { try await dispatch.outcome } throws: {
            ($0 as? Rejection)?.code == .invalid
        }
    }

    // MARK: The end

    @Test func `a room, its clients and their stores are let go with the test`() async {
        func use() async -> [() -> Bool] {
            let token = Token()
            let room = TestRoom(
                Todos.room.revertible().lifecycle().validate(AddTodo.self) { _, _, _ in
                    withExtendedLifetime(token) {}
                })
            let ada = room.connect(as: Identity("ada"))
            let store = RemoteStore(Todos.items, on: ada) { items, _ in
                withExtendedLifetime((token, items)) {}
            }
            store.dispatch(AddTodo("tea"))
            await room.settle()
            room.dispatch(RevertTo<Todos>(version: 0))
            await room.advance(by: .seconds(60))
            return [
                { [weak token] in token == nil }, { [weak room] in room == nil },
                { [weak ada] in ada == nil }, { [weak store] in store == nil },
            ]
        }
        for isGone in await use() {
            for _ in 0..<1000 where !isGone() { await Task.yield() }
            #expect(isGone())
        }
    }

    #if os(Linux)
        @Test func `20,000 stores come and go on a connection, and memory stays flat`() async {
            await #expect(processExitsWith: .success) {
                await StoreChurn.run()
            }
        }
    #endif
}

/// Is held by whatever a room was given.
private final class Token: Sendable {}

#if os(Linux)
    @MainActor private enum StoreChurn {
        static func run() async {
            let room = TestRoom(Todos.room)
            let ada = room.connect(as: Identity("ada"))
            await room.settle()
            await requireFlatMemory(rounds: 20_000) { round in
                let store = RemoteStore(Todos.items, on: ada)
                let reader = Reader()
                store.subscribe(reader) { $0.select(\.count).skip { $0 == $1 } }
                if round % 100 == 0 {
                    await room.settle()
                    let bob = room.connect(as: Identity("bob"))
                    let mine = RemoteStore(Todos.mine, on: bob)
                    await room.settle()
                    withExtendedLifetime(mine) {}
                }
                store.unsubscribe(reader)
            }
        }
    }

    private final class Reader: StoreSubscriber {
        func newState(state: Int) {}
    }
#endif
