import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct AsyncThunkTests {
    private struct Offline: Error, Equatable {}

    @Test func `awaiting a dispatched thunk awaits its end and gets what it returns`() async throws
    {
        let store = makePairStore()
        let gate = Gate()
        let thunk = AsyncThunk<Pair, String> { dispatch, getState in
            dispatch(PairAction.setA(1))
            await gate.pass()
            dispatch(PairAction.setB(getState()!.a + 1))
            return "a and b"
        }
        gate.open()
        #expect(try await store.dispatch(thunk) == "a and b")
        #expect(store.state == Pair(a: 1, b: 2))
    }

    @Test @MainActor func `others use the store while a thunk waits, and it sees their changes`()
        async throws
    {
        let store = makePairStore()
        let gate = Gate()
        let thunk = AsyncThunk<Pair, Void> { dispatch, getState in
            MainActor.preconditionIsolated()
            dispatch(PairAction.setName("waiting"))
            await gate.pass()
            MainActor.preconditionIsolated()
            dispatch(PairAction.setB(getState()!.a * 2))
        }
        let running = Task { try await store.dispatch(thunk) }
        await gate.reached()
        #expect(store.state == Pair(name: "waiting"))
        store.dispatch(PairAction.setA(21))
        gate.open()
        try await running.value
        #expect(store.state == Pair(a: 21, b: 42, name: "waiting"))
    }

    @Test func `a store of an actor stays on its actor`() async throws {
        #expect(try await Counters().load() == 5)
    }

    @Test func `an error reaches whoever awaits, and earlier actions stay in effect`() async {
        let store = makePairStore()
        let thunk = AsyncThunk<Pair, Void> { dispatch, _ in
            dispatch(PairAction.setA(1))
            throw Offline()
        }
        await #expect(throws: Offline()) { try await store.dispatch(thunk) }
        #expect(store.state.a == 1)
    }

    @Test @MainActor func `cancelling the awaiting task reaches what the thunk waits for`() async {
        let store = makePairStore()
        let gate = Gate()
        let thunk = AsyncThunk<Pair, Void> { _, _ in
            await gate.pass()
            try Task.checkCancellation()
        }
        let running = Task { try await store.dispatch(thunk) }
        await gate.reached()
        running.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test func `one thunk makes use of another`() async throws {
        let store = makePairStore()
        let inner = AsyncThunk<Pair, Int> { _, getState in getState()!.a + 1 }
        let outer = AsyncThunk<Pair, Void> { dispatch, getState in
            let next = try await inner(dispatch, getState)
            dispatch(PairAction.setA(next))
        }
        try await store.dispatch(outer)
        try await store.dispatch(outer)
        #expect(store.state.a == 2)
    }

    @Test func `what it dispatches passes through the middleware`() async throws {
        let doubling: Middleware<Pair> = { _, _ in
            { next in
                { action in
                    if case .setA(let value)? = action as? PairAction {
                        next(PairAction.setA(value * 2))
                    }
                }
            }
        }
        let store = makePairStore(middleware: [doubling])
        try await store.dispatch(
            AsyncThunk<Pair, Void> { dispatch, _ in dispatch(PairAction.setA(4)) })
        #expect(store.state.a == 8)
    }
}

/// An owner of a store that isn't the main actor.
private actor Counters {
    private let store = makePairStore()

    func load() async throws -> Int {
        let thunk = AsyncThunk<Pair, Void> { [unowned self] dispatch, _ in
            self.preconditionIsolated()
            await Task.yield()
            self.preconditionIsolated()
            dispatch(PairAction.setA(5))
        }
        try await store.dispatch(thunk)
        return store.state.a
    }
}

/// Where a thunk waits until the test lets it go on.
private struct Gate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let releases = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.yield()
        for await _ in releases.stream { return }
    }

    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() {
        releases.continuation.yield()
    }
}
